// Every entry of the registry, on all three memories: native, simulated, checked. Of the policies, those that are
// available there: the simulated and the checked memory have no scheduler.
#include <gtest/gtest.h>

#include <thread>

#include "barriers/native_registry.h"
#include "sim/coherence/simulated_memory.h"
#include "sim/coherence/simulation.h"
#include "tests/model/checked_memory.h"
#include "tests/model/suite.h"
#include "tests/sim/small_machine.h"

namespace muster::model {
namespace {

using Entry = std::tuple<BarrierKind, WaitKind>;

static_assert(AnyPolicy::available_on<NativeMemory>(WaitKind::kAuto));
static_assert(!AnyPolicy::available_on<CheckedMemory>(WaitKind::kAuto));
static_assert(!AnyPolicy::available_on<CheckedMemory>(WaitKind::kYield));
static_assert(AnyPolicy::available_on<CheckedMemory>(WaitKind::kSpin));

// What is called Scheduler has to be one.
struct HalfScheduled : CheckedMemory {
  struct Scheduler {
    static void yield() {}
  };
};
static_assert(!Memory<HalfScheduled>);

class Native : public testing::TestWithParam<Entry> {
 protected:
  BarrierKind barrier() const { return std::get<0>(GetParam()); }
  WaitKind wait() const { return std::get<1>(GetParam()); }
};
class Simulated : public Native {};
class Checked : public Native {};

TEST_P(Native, ReleasesBoth) {
  constexpr unsigned kTeam = 2;
  const BarrierOps<NativeMemory>* ops = barrier_ops<NativeMemory>(barrier());
  ASSERT_NE(ops, nullptr);
  const WaitParameters parameters{.wait = wait(),
                                  .team_size = kTeam,
                                  .context_switch_ns = 2'000,
                                  .wake_ns = 2'000,
                                  .fixed_ns = 20'000};
  Arena arena;
  ASSERT_TRUE(arena.reserve(ops->bytes(kTeam, {})));
  void* state = ops->create(arena, kTeam, {}, parameters);
  ASSERT_NE(state, nullptr);
  CallOff<NativeMemory> call_off;
  WaitStats stats[kTeam];
  unsigned payload[kTeam] = {};
  bool seen[kTeam] = {};
  const auto body = [&](unsigned me) {
    payload[me] = 1;
    seen[me] = ops->arrive_and_wait(state, me, 1, call_off, stats[me]) && payload[1 - me] == 1;
  };
  std::thread other(body, 1);
  body(0);
  other.join();
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST_P(Simulated, StaysInStep) {
  const coherence::Experiment experiment{
      .barrier = barrier(), .wait = wait(), .threads = 2, .episodes = 1, .warm_up = 0};
  const coherence::Outcome outcome =
      coherence::simulate(coherence::test::small_machine(), experiment, {});
  EXPECT_TRUE(outcome.in_step);
}

// Only that there is a correct execution; that all are correct is checked by the barrier tests.
TEST_P(Checked, HasACorrectExecution) {
  model::Run run;
  run.subject = {barrier(), wait(), Shape::kBarriers, 2, 1, 1, 1};
  run.settings.wakes_for_nothing = 0;
  run.settings.most_states = 2'000;
  const Report report = explore(run);
  EXPECT_EQ(report.fault, Fault::kNone) << report.text;
  EXPECT_GT(report.ends, 0U) << report.states;
}

template <class Memory>
auto entries() {
  std::vector<Entry> out;
  for (const BarrierKind barrier : algorithms()) {
    for (int wait = 0; wait < kWaitKinds; ++wait) {
      const auto kind = static_cast<WaitKind>(wait);
      if (AnyPolicy::available_on<Memory>(kind)) out.emplace_back(barrier, kind);
    }
  }
  return testing::ValuesIn(out);
}

std::string name(const testing::TestParamInfo<Entry>& info) {
  std::string out;
  for (const std::string& part : {std::string(name_of(std::get<0>(info.param))),
                                  std::string(name_of(std::get<1>(info.param)))}) {
    for (const char letter : part) {
      if (letter == '+') out += "Plus";
      if (std::isalnum(static_cast<unsigned char>(letter)) != 0) out += letter;
    }
    out += '_';
  }
  out.pop_back();
  return out;
}

INSTANTIATE_TEST_SUITE_P(Registry, Native, entries<NativeMemory>(), name);
INSTANTIATE_TEST_SUITE_P(Registry, Simulated, entries<coherence::SimulatedMemory>(), name);
INSTANTIATE_TEST_SUITE_P(Registry, Checked, entries<CheckedMemory>(), name);

}  // namespace
}  // namespace muster::model
