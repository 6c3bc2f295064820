// A team that changes between two algorithms: what its header claims to be needed is needed.
#include <gtest/gtest.h>

#include "tests/model/contended_at_times.h"
#include "tests/model/mutants.h"

namespace muster::model {
namespace {

Run changing(Shape shape, unsigned threads, unsigned episodes, Mistake mistake,
             Episode first_request = kFirstRequest) {
  Run run;
  run.subject = {.barrier = BarrierKind::kDisseminationOrCounter,
                 .wait = WaitKind::kSpin,
                 .shape = shape,
                 .threads = threads,
                 .episodes = episodes,
                 .first_request = static_cast<unsigned>(first_request),
                 .mistake = mistake};
  return run;
}

// Three threads are too many to explore all that they can do: many short searches, each in another order.
bool is_found_in_some_order(Run run) {
  constexpr std::uint64_t kSearches = 3'000;
  run.settings.most_states = 500;
  for (run.settings.seed = 1; run.settings.seed <= kSearches; ++run.settings.seed) {
    if (explore(run).fault != Fault::kNone) return true;
  }
  return false;
}

// Two workers: one may leave a gather and read the bits of the next release while the other, which requests the change,
// is still at the release before.
// muster-test: full long: all interleavings of three instances
TEST(Agreement, ThreeInstancesAreNeeded) {
  constexpr Episode kRelease = 5;
  const auto fold = [](Mistake mistake) { return changing(Shape::kFold, 3, 4, mistake, kRelease); };
  EXPECT_FALSE(is_found_in_some_order(fold(Mistake::kNone)));
  EXPECT_TRUE(is_found_in_some_order(fold(Mistake::kTooSoon)));
}

TEST(WhileContended, InstancesThatWereLeftOutHaveToBeCounted) {
  for (const Shape shape : {Shape::kBarriers, Shape::kFold, Shape::kAnnouncedFold}) {
    const unsigned episodes = shape == Shape::kBarriers ? 8 : 4;
    const Report right = explore(changing(shape, 2, episodes, Mistake::kNone));
    EXPECT_EQ(right.fault, Fault::kNone) << right.text;
    EXPECT_NE(explore(changing(shape, 2, episodes, Mistake::kNeverCatchesUp)).fault, Fault::kNone);
  }
}

}  // namespace
}  // namespace muster::model
