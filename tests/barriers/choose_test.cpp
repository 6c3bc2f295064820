// What `auto` selects, and how topologies become layouts.
#include "barriers/choose.h"

#include <gtest/gtest.h>

#include "tests/support/team_harness.h"

namespace muster::test {
namespace {

TEST(Registry, HasEveryAlgorithm) {
  for (int barrier = 0; barrier < kBarrierKinds; ++barrier) {
    const auto kind = static_cast<BarrierKind>(barrier);
    const bool is_choice = kind == BarrierKind::kNative || kind == BarrierKind::kAuto;
    EXPECT_EQ(barrier_ops<NativeMemory>(kind) == nullptr, is_choice) << name_of(kind);
  }
}

TEST(Auto, ChoosesAnAlgorithmForEveryTeam) {
  for (unsigned team = 1; team <= kMaxTeam; ++team) {
    for (const unsigned cpus : {1U, 2U, 8U, 64U, 1024U}) {
      EXPECT_NE(barrier_ops<NativeMemory>(choose_barrier(team, cpus)), nullptr);
    }
  }
}

Topology machine(std::initializer_list<unsigned> arities, std::size_t line) {
  Topology out;
  for (const unsigned arity : arities) out.arity[out.levels++] = arity;
  out.cache_line = line;
  return out;
}

TEST(Layout, FollowsTheTopology) {
  const Layout two_sockets = layout_for(machine({2, 8, 4, 2}, 64));
  EXPECT_EQ(two_sockets.stride, kCoherenceGranule);
  EXPECT_EQ(two_sockets.radix[0], 2U);
  EXPECT_EQ(two_sockets.radix[1], 8U);
  EXPECT_EQ(two_sockets.radix[2], 4U);
  EXPECT_EQ(two_sockets.radix[3], 2U);
  EXPECT_EQ(layout_for(machine({4}, 512)).stride, 512U);
  EXPECT_EQ(layout_for(machine({}, 0)).radix[0], 4U) << "an unknown machine";
}

TEST(Layout, SplitsWideLevels) {
  const Layout wide = layout_for(machine({64, 2}, 64));
  EXPECT_EQ(wide.radix[0], 8U);
  EXPECT_EQ(wide.radix[1], 8U);
  EXPECT_EQ(wide.radix[2], 2U);
}

// The tree is correct for any shape, even if the team does not fill it.
TEST(Layout, EveryShapeMakesABarrier) {
  for (const Topology& topology :
       {machine({2, 3, 5}, 64), machine({7, 11}, 64), machine({2}, 64)}) {
    for (const unsigned size : {2U, 5U, 13U}) {
      TestTeam<NativeMemory> team(BarrierKind::kTree, WaitKind::kBlock, size, layout_for(topology));
      ASSERT_TRUE(team.made());
      std::vector<std::uint64_t> payload(size, 0);
      std::vector<std::uint64_t> wrong(size, 0);
      team.run([&](unsigned me) {
        for (Episode episode = 1; episode < 40; episode += 2) {
          payload[me] = episode;
          team.arrive(me, episode);
          for (const std::uint64_t value : payload) {
            if (value != episode) ++wrong[me];
          }
          team.arrive(me, episode + 1);
        }
      });
      for (const std::uint64_t count : wrong) EXPECT_EQ(count, 0U);
    }
  }
}

TEST(Topology, LoadsOrSaysWhyNot) {
  const Topology& here = topology();
  EXPECT_STRNE(here.source, "none");
  EXPECT_EQ(&here, &topology());
}

}  // namespace
}  // namespace muster::test
