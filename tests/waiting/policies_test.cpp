// Each policy's spin time on a simulated clock, as measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "barriers/registry.h"
#include "tests/support/simulated_wait.h"

namespace muster::test {
namespace {

constexpr std::uint64_t kCsNs = 2'000;
constexpr WaitParameters kParameters{
    .team_size = 4, .context_switch_ns = kCsNs, .wake_ns = 3'000, .fixed_ns = 50'000};
constexpr std::uint64_t kPollingNs = 170;  // between two clock reads

void expect_budget(double ns, WaitKind kind) {
  SimulatedTeam team(4);
  WaitParameters parameters = kParameters;
  if (const std::uint64_t share = thousandths_of_switch(kind); share != 0) {
    parameters.fixed_ns = kCsNs * share / 1000;
  }
  FixedTime policy(parameters);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const std::uint64_t spun = team.wait_in_vain(policy);
    EXPECT_GE(static_cast<double>(spun), std::floor(ns));
    EXPECT_LE(static_cast<double>(spun), ns + kPollingNs);
  }
  EXPECT_TRUE(policy.spins_first());
  EXPECT_TRUE(policy.quick_polls());
}

TEST(Policies, SpinAsLongAsThePapersSay) {
  expect_budget(kCsNs, WaitKind::kCs);
  expect_budget(1.2 * kCsNs, WaitKind::kCsPlus);
  expect_budget(2.2 * kCsNs, WaitKind::kTwoCsPlus);
  expect_budget(std::log(std::exp(1.0) - 1) * kCsNs - 1, WaitKind::kExponential);
  expect_budget((std::sqrt(5.0) - 1) / 2 * kCsNs - 1, WaitKind::kUniform);
  expect_budget(50'000, WaitKind::kMicroseconds);
}

// The policy that the registry makes from a name has that budget.
TEST(Policies, BudgetsAreSharesOfASwitch) {
  for (int i = 0; i < kWaitKinds; ++i) {
    const auto kind = static_cast<WaitKind>(i);
    const std::uint64_t share = thousandths_of_switch(kind);
    if (share == 0 && kind != WaitKind::kMicroseconds) continue;
    const BarrierOps<NativeMemory>& ops = *barrier_ops<NativeMemory>(BarrierKind::kFetchAdd);
    Arena arena;
    ASSERT_TRUE(arena.reserve(ops.bytes(4, {})));
    WaitParameters parameters = kParameters;
    parameters.wait = kind;
    using State = detail::BarrierState<NativeMemory, FetchAdd, AnyPolicy>;
    const auto* state = static_cast<State*>(ops.create(arena, 4, {}, parameters));
    EXPECT_EQ(state->policy.as<FixedTime>().budget_ns(), share != 0 ? kCsNs * share / 1000 : 50'000)
        << name_of(kind);
  }
}

TEST(Policies, BlockDoesNotSpin) {
  SimulatedTeam team(4);
  Block policy(kParameters);
  EXPECT_EQ(team.wait_in_vain(policy), 0U);
  EXPECT_FALSE(policy.spins_first());
  EXPECT_FALSE(policy.quick_polls());
  FixedTime of_nothing(WaitParameters{.team_size = 4});
  EXPECT_EQ(team.wait_in_vain(of_nothing), 0U);
  EXPECT_FALSE(of_nothing.spins_first());
}

TEST(Policies, SpinAndYieldNeverBlock) {
  SimulatedTeam team(4);
  Spin spin(kParameters);
  Yield yield(kParameters);
  const auto after_a_second = [start = SimulatedMemory::now] {
    return SimulatedMemory::now >= start + 1'000'000'000;
  };
  bool released = false;
  team.wait(spin, after_a_second, released);
  EXPECT_TRUE(released);
  EXPECT_EQ(team.stats().yields.read(), 0U);
  SimulatedMemory::reset();
  team.wait(yield, after_a_second, released);
  EXPECT_TRUE(released);
  EXPECT_GE(team.stats().yields.read(), 999'900U);  // with a clock read now and then
}

TEST(Policies, SpinAndYieldSleepAfterAMillisecondUnderARealTimePolicy) {
  SimulatedTeam team(4);
  Spin spin(kParameters);
  Yield yield(kParameters);
  SimulatedMemory::real_time = true;
  for (const std::uint64_t spun : {team.wait_in_vain(spin), team.wait_in_vain(yield)}) {
    EXPECT_GE(spun, 1'000'000U);
    EXPECT_LE(spun, 1'100'000U);
  }
}

// x in [0, 1] with the density e^x / (e - 1): mean 1 / (e - 1), and F(x) = (e^x - 1) / (e - 1).
TEST(Random, DrawsFromKarlinsDensity) {
  SimulatedTeam team(4);
  Random policy(kParameters);
  std::vector<double> spun;
  for (int repetition = 0; repetition < 20'000; ++repetition) {
    spun.push_back(static_cast<double>(team.wait_in_vain(policy)));
    team.next_episode();
  }
  std::sort(spun.begin(), spun.end());
  EXPECT_LE(spun.back(), kCsNs + kPollingNs);
  double furthest = 0;  // Kolmogorov and Smirnov's distance
  for (std::size_t i = 0; i < spun.size(); ++i) {
    // The clock is read every 161 ns: a budget is exceeded by half of that on average.
    const double x = std::clamp((spun[i] - 80) / kCsNs, 0.0, 1.0);
    const double expected = (std::exp(x) - 1) / (std::exp(1.0) - 1);
    const double seen = (static_cast<double>(i) + 0.5) / static_cast<double>(spun.size());
    furthest = std::max(furthest, std::abs(expected - seen));
  }
  EXPECT_LE(furthest, 0.08);

  MixedNumbers numbers(1);
  double sum = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(policy.draw_ns(numbers));
  const double mean = sum / kDraws / kCsNs;
  EXPECT_NEAR(mean, 1 / (std::exp(1.0) - 1), 0.003);  // 0.582; a uniform draw would give 0.5
}

TEST(Random, TeammatesDrawDifferently) {
  SimulatedTeam team(2);
  Random policy(kParameters);
  const std::uint64_t first = team.wait_in_vain(policy);
  bool differs = false;
  for (int i = 0; i < 8; ++i) {
    team.next_episode();
    differs = differs || team.wait_in_vain(policy) + kPollingNs < first ||
              first + kPollingNs < team.wait_in_vain(policy);
  }
  EXPECT_TRUE(differs);
}

TEST(Conditional, SpinsTheBaselineWhenNoThreadArrives) {
  SimulatedTeam team(4);
  Conditional policy(kParameters);
  EXPECT_EQ(policy.base_ns(), 3'000U);
  EXPECT_EQ(policy.conditional_ns(), 9'000U);
  const std::uint64_t spun = team.wait_in_vain(policy);
  EXPECT_GE(spun, 3'000U);
  EXPECT_LE(spun, 3'000 + kPollingNs);
}

// Arrivals every 8 us: each is within S_cond = 9 us of the last, so the spin continues until they end.
TEST(Conditional, GoesOnWhileArrivalsKeepComing) {
  SimulatedTeam team(8);
  Conditional policy(kParameters);
  const std::uint64_t start = SimulatedMemory::now;
  unsigned next = 1;
  bool released = true;
  const std::uint64_t spun = team.wait(
      policy,
      [&] {
        if (next < 6 && SimulatedMemory::now >= start + 2'000 + (next - 1) * 8'000) {
          team.arrive(next++, 1, team.episode());
        }
        return false;
      },
      released);
  EXPECT_FALSE(released);
  EXPECT_EQ(next, 6U);
  // The fifth came at 34 us; one more interval without an arrival ends it.
  EXPECT_GE(spun, 34'000U);
  EXPECT_LE(spun, 34'000 + 2 * 9'000 + 10 * kPollingNs);
}

TEST(Conditional, EndsWhenArrivalsAreTooFarApart) {
  SimulatedTeam team(8);
  Conditional policy(kParameters);
  const std::uint64_t start = SimulatedMemory::now;
  unsigned next = 1;
  bool released = true;
  const std::uint64_t spun = team.wait(
      policy,
      [&] {
        if (next < 6 && SimulatedMemory::now >= start + 2'000 + (next - 1) * 20'000) {
          team.arrive(next++, 1, team.episode());
        }
        return false;
      },
      released);
  EXPECT_FALSE(released);
  EXPECT_EQ(next, 2U) << "the second arrival is 20 us after the first";
  EXPECT_LE(spun, 3'000 + 9'000 + 4 * kPollingNs);
}

}  // namespace
}  // namespace muster::test
