#include "tests/model/suite.h"

#include "tests/model/takes_turns.h"

namespace muster::model {
namespace {

constexpr Fences kAllFences[] = {Fences::kAsymmetric, Fences::kSymmetric, Fences::kRefused};

// The algorithm that changes while the team takes turns: each shape, called off on either side of each change.
void add_turns(WaitKind wait, bool full, std::vector<Run>& out) {
  const bool sleeps = wait != WaitKind::kSpin;
  const auto add = [&](Shape shape, unsigned threads, unsigned caller, unsigned called_off) {
    Run run;
    run.subject = {BarrierKind::kDissemination,
                   wait,
                   shape,
                   threads,
                   kInstancesOfBoth,
                   caller,
                   called_off,
                   true};
    const bool regions = shape != Shape::kBarriers && shape != Shape::kCalledOff;
    if (regions) run.subject.episodes = (kInstancesOfBoth + 1) / 2;
    if (shape == Shape::kFoldAndBarrier) run.subject.episodes = (kInstancesOfBoth + 2) / 3;
    run.settings.wakes_for_nothing = full && sleeps ? 1 : 0;
    out.push_back(run);
  };
  for (const unsigned threads : {2U, 3U}) {
    if (sleeps && !full) return;
    add(Shape::kBarriers, threads, 0, 0);
    add(Shape::kFold, threads, 0, 0);
    add(Shape::kAnnouncedFold, threads, 0, 0);
    add(Shape::kCalledOff, threads, 1, 6);
    add(Shape::kCalledOffFold, threads, 1, 3);
    if (!full) return;
    add(Shape::kFoldAndBarrier, threads, 0, 0);
    for (const unsigned caller : {0U, 1U}) {
      for (const unsigned instance : {5U, 11U, 12U})
        add(Shape::kCalledOff, threads, caller, instance);
      for (const unsigned region : {2U, 5U, 6U})
        add(Shape::kCalledOffFold, threads, caller, region);
    }
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
  if (barrier == BarrierKind::kDissemination && !two_phase && wait != WaitKind::kBlock) {
    add_turns(wait, full, out);
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
    if (barrier == BarrierKind::kDistCounterPadded && wait == WaitKind::kMicroseconds) {
      add(Shape::kGivesWay, 2, 1);
      add(Shape::kGivesWay, 2, 2, 1, 2);
    }
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
    if (barrier == BarrierKind::kDistCounterPadded) add(Shape::kGivesWay, 2, 1);
    if (barrier == BarrierKind::kDistSensor || barrier == BarrierKind::kDistCounterPadded) {
      add(Shape::kFold, 3, 1, 1, 1, 1);
    }
  }
  return out;
}

}  // namespace muster::model
