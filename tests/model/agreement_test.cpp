// A team that changes between two algorithms: what its header claims to be needed is needed.
#include <gtest/gtest.h>

#include "tests/model/contended_at_times.h"
#include "tests/model/mutants.h"

namespace muster::model {
namespace {

Run changing(Shape shape, unsigned threads, unsigned episodes, Mistake mistake) {
  Run run;
  run.subject = {.barrier = BarrierKind::kDisseminationOrCounter,
                 .wait = WaitKind::kSpin,
                 .shape = shape,
                 .threads = threads,
                 .episodes = episodes,
                 .first_request = static_cast<unsigned>(kFirstRequest),
                 .mistake = mistake};
  return run;
}

// Two workers: one may leave a gather and read the bits of the next release while the other, which requests the change,
// is still at the release before.
TEST(Agreement, ThreeInstancesAreNeeded) {
  constexpr unsigned kRegions = 3;  // the last has the change
  auto right = changing(Shape::kFold, 3, kRegions, Mistake::kNone);
  right.settings.most_states = 300'000;  // of more than can be explored here
  const Report report = explore(right);
  EXPECT_EQ(report.fault, Fault::kNone) << report.text;
  EXPECT_NE(explore(changing(Shape::kFold, 3, kRegions, Mistake::kTooSoon)).fault, Fault::kNone);
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
