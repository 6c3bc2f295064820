#include "tests/model/suite.h"

namespace muster::model {
namespace {

constexpr Fences kAllFences[] = {Fences::kAsymmetric, Fences::kSymmetric, Fences::kRefused};

}  // namespace

std::vector<BarrierKind> algorithms() {
  std::vector<BarrierKind> out;
  for (int i = 0; i < kBarrierKinds; ++i) {
    const auto kind = static_cast<BarrierKind>(i);
    if (kind != BarrierKind::kNative && kind != BarrierKind::kAuto) out.push_back(kind);
  }
  return out;
}

std::vector<Run> runs_of(BarrierKind barrier, WaitKind wait, Extent extent) {
  std::vector<Run> out;
  const bool sleeps = wait != WaitKind::kSpin && wait != WaitKind::kYield;
  const auto add = [&](Shape shape, unsigned threads, unsigned episodes, unsigned caller,
                       unsigned called_off, Fences fences) {
    Run run;
    run.subject = {barrier, wait, shape, threads, episodes, caller, called_off};
    run.settings.fences = fences;
    run.settings.wakes_for_nothing = 0;
    out.push_back(run);
  };
  const auto add_all = [&](Shape shape, unsigned threads, unsigned episodes, unsigned caller = 1,
                           unsigned called_off = 1) {
    for (const Fences fences : kAllFences) {
      if (sleeps || fences == Fences::kAsymmetric) {
        add(shape, threads, episodes, caller, called_off, fences);
      }
    }
  };
  add_all(Shape::kBarriers, 2, sleeps ? 2 : 3);
  add_all(Shape::kCalledOff, 2, 2);
  add_all(Shape::kCalledOff, 2, 2, 0);
  add_all(Shape::kCalledOffFrom, 2, 2, 1, sleeps ? 1 : 2);
  add_all(Shape::kCalledOffFold, 2, 1, 1);
  add_all(Shape::kCalledOffFold, 2, 1, 0);
  add_all(Shape::kFold, 2, sleeps ? 1 : 3);
  add_all(Shape::kAnnouncedFold, 2, sleeps ? 1 : 3);
  if (!sleeps) {
    add_all(Shape::kFoldAndBarrier, 2, 2);
    add_all(Shape::kBarriers, 3, 2);
    add_all(Shape::kCalledOff, 3, 2, 1, 1);
    add_all(Shape::kCalledOff, 3, 2, 2, 2);
    add_all(Shape::kFold, 3, 2);
    add_all(Shape::kCalledOffFold, 3, 1, 1);
    add_all(Shape::kFoldAndBarrier, 3, 1);
  }
  if (extent == Extent::kFull) {
    for (Run& run : out) run.settings.wakes_for_nothing = 1;
  }
  return out;
}

}  // namespace muster::model
