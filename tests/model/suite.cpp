#include "tests/model/suite.h"

#include "tests/model/contended_at_times.h"

namespace muster::model {
namespace {

constexpr Fences kAllFences[] = {Fences::kAsymmetric, Fences::kSymmetric, Fences::kRefused};

// The algorithm that changes while the team is contended: each shape, called off on either side of each change. In
// `fold-and-barrier` the first request decides whether a change comes at a release, a barrier or a gather. What needs
// three threads is in agreement_test.cpp: too large to be explored to the end.
void add_changes(WaitKind wait, bool full, std::vector<Run>& out) {
  const bool sleeps = wait != WaitKind::kSpin;
  if (sleeps && !full) return;
  const auto add = [&](Shape shape, unsigned caller = 0, unsigned called_off = 0,
                       Episode first_request = kFirstRequest) {
    Run run;
    run.subject = {.barrier = BarrierKind::kDisseminationOrCounter,
                   .wait = wait,
                   .shape = shape,
                   .threads = 2,
                   .episodes = kInstancesOfBoth,
                   .caller = caller,
                   .called_off = called_off,
                   .first_request = static_cast<unsigned>(first_request)};
    const bool regions = shape != Shape::kBarriers && shape != Shape::kCalledOff;
    if (regions) run.subject.episodes = (kInstancesOfBoth + 1) / 2;
    if (shape == Shape::kFoldAndBarrier) run.subject.episodes = (kInstancesOfBoth + 4) / 3;
    run.settings.wakes_for_nothing = full && sleeps ? 1 : 0;
    out.push_back(run);
  };
  add(Shape::kBarriers);
  add(Shape::kFold);
  add(Shape::kAnnouncedFold);
  for (Episode first = kFirstRequest; first < kFirstRequest + 3; ++first)
    add(Shape::kFoldAndBarrier, 0, 0, first);
  add(Shape::kCalledOff, 1, 6);
  add(Shape::kCalledOffFold, 1, 3);
  if (!full) return;
  for (const unsigned caller : {0U, 1U}) {
    for (const unsigned instance : {5U, 11U, 12U}) add(Shape::kCalledOff, caller, instance);
    for (const unsigned region : {2U, 5U, 6U}) add(Shape::kCalledOffFold, caller, region);
  }
}

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
  const bool full = extent == Extent::kFull;
  const bool sleeps = wait != WaitKind::kSpin;
  const bool two_phase = sleeps && wait != WaitKind::kBlock && wait != WaitKind::kMicroseconds;
  const bool never_heavy = !sleeps || wait == WaitKind::kBlock;
  const auto add = [&](Shape shape, unsigned threads, unsigned episodes, unsigned caller = 1,
                       unsigned called_off = 1, std::uint8_t stale = kUnlimited) {
    for (const Fences fences : kAllFences) {
      if (never_heavy && fences != Fences::kAsymmetric) continue;
      const bool alone = shape == Shape::kSleepWord || shape == Shape::kFullySleepWord;
      if (!full && (two_phase || (threads == 3 && !alone)) && fences != Fences::kAsymmetric)
        continue;
      Run run;
      run.subject = {barrier, wait, shape, threads, episodes, caller, called_off};
      run.settings.fences = fences;
      run.settings.wakes_for_nothing = full && sleeps && threads == 2 ? 1 : 0;
      run.settings.stale = stale;
      out.push_back(run);
    }
  };
  if (barrier == BarrierKind::kDisseminationOrCounter && !two_phase && wait != WaitKind::kBlock) {
    add_changes(wait, full, out);
  }
  add(Shape::kBarriers, 2, sleeps ? 2 : 3);
  add(Shape::kCalledOff, 2, 2);
  add(Shape::kCalledOff, 2, 2, 0);
  add(Shape::kCalledOffFrom, 2, 2, 1, sleeps ? 1 : 2);
  add(Shape::kCalledOffFold, 2, 1, 1);
  add(Shape::kCalledOffFold, 2, 1, 0);
  add(Shape::kFold, 2, sleeps ? 1 : 3);
  add(Shape::kAnnouncedFold, 2, sleeps ? 1 : 3);
  if (!sleeps) {
    add(Shape::kFoldAndBarrier, 2, 2);
    add(Shape::kBarriers, 3, 2);
    add(Shape::kCalledOff, 3, 2, 1, 1);
    add(Shape::kFold, 3, 2);
    if (full) {
      add(Shape::kBarriers, 3, 3);
      add(Shape::kCalledOff, 3, 2, 2, 2);
      add(Shape::kCalledOff, 3, 2, 0, 2);
      add(Shape::kAnnouncedFold, 3, 2);
      add(Shape::kFoldAndBarrier, 3, 1);
      add(Shape::kCalledOffFold, 3, 1, 1);
    }
  } else if (full) {
    add(Shape::kBarriers, 2, 3);
    add(Shape::kCalledOff, 2, 3, 1, 2);
    add(Shape::kFold, 2, 2);
    add(Shape::kAnnouncedFold, 2, 2);
    add(Shape::kFoldAndBarrier, 2, 1);
    add(Shape::kBarriers, 3, 1);
    add(Shape::kCalledOff, 3, 1);
    add(Shape::kFold, 3, 1);
    if (barrier == BarrierKind::kFetchAddXadd && wait == WaitKind::kMicroseconds) {
      add(Shape::kSleepWord, 3, 1);
      add(Shape::kFullySleepWord, 3, 1);
    }
  } else if (wait == WaitKind::kMicroseconds) {
    // Cases that need three sleeping threads, with the more complex fences. If only the fold is bounded, it is by its
    // size.
    if (barrier == BarrierKind::kFetchAddXadd) {
      add(Shape::kSleepWord, 3, 1);
      add(Shape::kFullySleepWord, 3, 1);
      add(Shape::kBarriers, 3, 1);
    }
    if (barrier == BarrierKind::kDistSensor) add(Shape::kBarriers, 3, 1);
    if (barrier == BarrierKind::kDistSensor || barrier == BarrierKind::kDistCounterPadded) {
      add(Shape::kFold, 3, 1, 1, 1, 1);
    }
  }
  return out;
}

}  // namespace muster::model
