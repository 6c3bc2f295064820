// The rule whose turn it is, over generated states, and what a process makes of a page that anybody may write.
#include "turns/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace muster::test {
namespace {

using turns_tuning::kMostTurnsOff;
using turns_tuning::kTurnNs;

struct Wanted {
  unsigned cpus;
  CpuSet set;
};

std::unique_ptr<TurnRing> ring_of(const std::vector<Wanted>& members) {
  auto ring = std::make_unique<TurnRing>();
  for (const Wanted& member : members) EXPECT_TRUE(ring->add(member.cpus, member.set));
  return ring;
}

std::vector<Wanted> equals(unsigned members, unsigned threads, unsigned cpus) {
  return {members, Wanted{threads, CpuSet::first(cpus)}};
}

// By member: the number of turns that it had of `turns`.
std::vector<unsigned> turns_had(const std::vector<Wanted>& members, unsigned turns) {
  const auto ring = ring_of(members);
  std::vector<unsigned> had(members.size());
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (unsigned i = 0; i < members.size(); ++i) had[i] += ring->is_on(i, turn) ? 1 : 0;
  }
  return had;
}

TEST(TurnRing, EqualMembersHaveEqualSharesAndUseAllThatFits) {
  for (const unsigned cpus : {2U, 32U}) {
    for (const unsigned threads : {2U, 16U}) {
      if (threads > cpus) continue;
      for (const unsigned members : {2U, 3U, 5U, 8U}) {
        const unsigned turns = 2 * members * members * ((members * threads + cpus - 1) / cpus);
        const auto had = turns_had(equals(members, threads, cpus), turns);
        const auto [least, most] = std::minmax_element(had.begin(), had.end());
        EXPECT_LE(*most - *least, *most / 10) << members << " x " << threads << " on " << cpus;
        const unsigned fit = std::min(members, cpus / threads);
        EXPECT_EQ(std::accumulate(had.begin(), had.end(), 0U), turns * fit)
            << members << " x " << threads << " on " << cpus;
      }
    }
  }
}

// As many teams of 4 and of 64 threads as of 16, in any order of their records: few rows, and equal teams have equal
// shares.
TEST(TurnRing, TeamsOfMixedSizesNeedNoMoreRowsThanTheirThreads) {
  constexpr unsigned kCpus = 128;
  std::mt19937 random(3);
  for (unsigned count = 1; count <= 6; ++count) {
    std::vector<Wanted> members;
    for (const unsigned size : {16U, 4U, 64U})
      members.insert(members.end(), count, {size, CpuSet::first(kCpus)});
    const unsigned rows = (count * (16 + 4 + 64) + kCpus - 1) / kCpus;
    for (unsigned order = 0; order < 20; ++order) {
      std::shuffle(members.begin(), members.end(), random);
      const unsigned turns = 2 * rows * count * 3 * 4;
      const auto had = turns_had(members, turns);
      for (const unsigned size : {16U, 4U, 64U}) {
        unsigned least = turns;
        unsigned most = 0;
        for (unsigned i = 0; i < members.size(); ++i) {
          if (members[i].cpus != size) continue;
          least = std::min(least, had[i]);
          most = std::max(most, had[i]);
        }
        EXPECT_GE(least, turns / rows) << count << " each, size " << size;
        EXPECT_LE(most - least, most / 10) << count << " each, size " << size;
      }
    }
  }
}

// Teams that fit, and teams on CPUs of their own, never wait.
TEST(TurnRing, NobodyWaitsWithoutConflict) {
  EXPECT_TRUE(ring_of(equals(2, 16, 32))->all_fit());
  EXPECT_FALSE(ring_of(equals(3, 16, 32))->all_fit());
  CpuSet upper;
  for (unsigned cpu = 32; cpu < 64; ++cpu) upper.add(cpu);
  const std::vector<Wanted> apart{{32, CpuSet::first(32)}, {32, upper}};
  EXPECT_TRUE(ring_of(apart)->all_fit());
  EXPECT_EQ(turns_had(apart, 10), (std::vector<unsigned>{10, 10}));
  auto crowded = apart;
  crowded.push_back({32, upper});
  EXPECT_FALSE(ring_of(crowded)->all_fit());
  EXPECT_EQ(turns_had(crowded, 12).front(), 12U) << "nobody else wants its CPUs";
}

// Over generated states: every turn has members, what is on fits, everybody has turns.
TEST(TurnRing, GeneratedStates) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 100; ++round) {
    const unsigned cpus = 1U << (1 + random() % 8);
    std::vector<Wanted> members(1 + random() % 40);
    for (Wanted& member : members) {
      const unsigned from = random() % 3 == 0 ? static_cast<unsigned>(random() % cpus) : 0;
      for (unsigned cpu = from; cpu < cpus; ++cpu) member.set.add(cpu);
      if (random() % 4 == 0) member.set = CpuSet::first(cpus);
      member.cpus = 1 + static_cast<unsigned>(random() % member.set.count());
    }
    auto ring = std::make_unique<TurnRing>();
    std::erase_if(members,
                  [&](const Wanted& member) { return !ring->add(member.cpus, member.set); });
    std::vector<unsigned> had(members.size());
    const auto turns = static_cast<unsigned>(2 * members.size());
    for (unsigned turn = 0; turn < turns; ++turn) {
      unsigned used = 0;
      for (unsigned i = 0; i < members.size(); ++i) {
        if (!ring->is_on(i, turn)) continue;
        ++had[i];
        used += members[i].cpus;
      }
      EXPECT_GT(used, 0U);
      EXPECT_LE(used, cpus);
    }
    EXPECT_GT(*std::min_element(had.begin(), had.end()), 0U) << "somebody has no turn";
  }
}

TEST(TurnRing, RefusesWhatIsNoMember) {
  TurnRing ring;
  EXPECT_FALSE(ring.add(1, CpuSet{}));
  EXPECT_FALSE(ring.add(0, CpuSet::first(4)));
  EXPECT_TRUE(ring.add(~std::uint64_t{0}, CpuSet::first(4))) << "as many as there are";
  EXPECT_TRUE(ring.all_fit());
  EXPECT_TRUE(ring.is_on(7, 1)) << "no member";
}

struct FakeMemory {
  static inline std::uint64_t clock_ns;
  static std::uint64_t now_ns() { return clock_ns; }
  struct Scheduler {
    static void nap(std::uint64_t ns) {
      EXPECT_LE(ns, (kMostTurnsOff + 1) * kTurnNs);
      clock_ns += ns;
    }
  };
};

class Process {
 public:
  Process(TurnPage& page, unsigned number) : page_(page) {
    turns_->begin({.open_page = [](void* self) { return &static_cast<Process*>(self)->page_; },
                   .read_needs = [](void*, TurnNeeds& needs) { needs = {2, CpuSet::first(2)}; },
                   .context = this,
                   .id = number + 1});
  }
  // As a thread at a barrier does; returns how long it slept.
  std::uint64_t arrive() {
    turns_->look(FakeMemory::clock_ns, true);
    const std::uint64_t now_ns = FakeMemory::clock_ns;
    if (!turns_->in_force() || !turns_->must_sleep(now_ns)) return 0;
    return turns_->sleep<FakeMemory>(now_ns);
  }
  Turns& turns() { return *turns_; }

 private:
  TurnPage& page_;
  std::unique_ptr<Turns> turns_ = std::make_unique<Turns>();
};

class TurnsOfAProcess : public testing::Test {
 protected:
  void SetUp() override { FakeMemory::clock_ns = 1'000'000'000'000; }
  std::unique_ptr<TurnPage> page_ = std::make_unique<TurnPage>();
};

TEST_F(TurnsOfAProcess, AloneItNeverSleeps) {
  Process process(*page_, 0);
  for (unsigned i = 0; i < 1000; ++i) {
    EXPECT_EQ(process.arrive(), 0U);
    EXPECT_FALSE(process.turns().in_force());
    FakeMemory::clock_ns += 100'000;
  }
}

TEST_F(TurnsOfAProcess, AnotherVersionIsLeftAlone) {
  page_->version = 1;
  Process first(*page_, 0);
  Process second(*page_, 1);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(first.arrive() + second.arrive(), 0U);
    FakeMemory::clock_ns += 100'000;
  }
  EXPECT_EQ(page_->records[0].owner, 0U);
}

// A full page: the one that finds no record goes on as without.
TEST_F(TurnsOfAProcess, FullPage) {
  for (TurnRecord& record : page_->records) {
    record.owner = 1000;
    record.live_until_ns = FakeMemory::clock_ns + 1'000'000;
  }
  Process process(*page_, 0);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(process.arrive(), 0U);
    FakeMemory::clock_ns += 1'000;
  }
}

// A record whose owner ended is used again, after a while.
TEST_F(TurnsOfAProcess, AbandonedRecordsAreUsedAgain) {
  for (TurnRecord& record : page_->records) {
    record.owner = 1000;
    record.live_until_ns = FakeMemory::clock_ns - turns_tuning::kAbandonedNs;
  }
  Process process(*page_, 0);
  process.arrive();
  EXPECT_EQ(page_->records[0].owner, 1U);
  process.turns().leave();
  EXPECT_EQ(page_->records[0].owner, 0U);
}

// Whatever is written into the page, a process has a turn after so many of others, and a thread never sleeps longer.
TEST_F(TurnsOfAProcess, AnythingMayStandInThePage) {
  std::mt19937_64 random(2);
  Process process(*page_, 0);
  std::uint64_t longest = 0;
  for (unsigned round = 0; round < 20'000; ++round) {
    for (unsigned write = 0; write < 20; ++write) {
      TurnRecord& record =
          page_->records[random() % 3 == 0 ? random() % TurnPage::kRecords : random() % 4];
      const std::uint64_t near_ns = FakeMemory::clock_ns + random() % (2 * kTurnNs);
      record.live_until_ns = random() % 4 == 0 ? random() : near_ns;
      record.owner = random() % 4 == 0 ? random() % 3 : random();
      record.wants = random() % 2 == 0 ? random() : random() % 4;
      record.cpus[random() % CpuSet::kWords] = random() % 2 == 0 ? random() : 3;
    }
    if (random() % 1000 == 0) page_->version = random();
    longest = std::max(longest, process.arrive());
    FakeMemory::clock_ns += random() % 1'000'000;
  }
  EXPECT_GT(longest, kTurnNs) << "it took turns";
  EXPECT_LE(longest, (kMostTurnsOff + 1) * kTurnNs + turns_tuning::kGuardNs);
}

// A team that was at work in its turn keeps the next one: the kernel may not have let its last thread reach the barrier.
// If it does not come then either, others have its turns.
TEST_F(TurnsOfAProcess, ASilentMemberKeepsOneTurn) {
  Process silent(*page_, 0);
  Process busy(*page_, 1);
  std::vector<std::uint64_t> had;  // turns of `busy`
  const auto run_until = [&](std::uint64_t turn, bool both) {
    while (FakeMemory::clock_ns < turn * kTurnNs) {
      const std::uint64_t now = FakeMemory::clock_ns / kTurnNs;
      if (both && (!silent.turns().in_force() || !silent.turns().must_sleep(FakeMemory::clock_ns)))
        silent.turns().look(FakeMemory::clock_ns, true);
      if (!busy.turns().in_force() || !busy.turns().must_sleep(FakeMemory::clock_ns)) {
        busy.turns().look(FakeMemory::clock_ns, true);
        if (had.empty() || had.back() != now) had.push_back(now);
      }
      FakeMemory::clock_ns += 100'000;
    }
  };
  const std::uint64_t begin = FakeMemory::clock_ns / kTurnNs;
  run_until(begin + 10, true);
  // The silent one leaves at the end of a turn of its own.
  const bool busy_is_next = had.back() != begin + 9;
  const std::uint64_t end = begin + (busy_is_next ? 10 : 11);
  run_until(end, true);
  had.clear();
  run_until(end + 10, false);
  EXPECT_EQ(had, (std::vector<std::uint64_t>{end, end + 2, end + 3, end + 4, end + 5, end + 6,
                                             end + 7, end + 8, end + 9}));
}

// In the child of a fork: another member, which takes a record of its own.
TEST_F(TurnsOfAProcess, AChildIsAnotherMember) {
  Process process(*page_, 0);
  process.arrive();
  process.turns().begin(
      {.open_page = [](void* self) { return static_cast<TurnPage*>(self); },
       .read_needs = [](void*, TurnNeeds& needs) { needs = {2, CpuSet::first(2)}; },
       .context = page_.get(),
       .id = 77});
  FakeMemory::clock_ns += 1000;
  process.turns().look(FakeMemory::clock_ns, true);
  EXPECT_EQ(page_->records[0].owner, 1U);
  EXPECT_EQ(page_->records[1].owner, 77U);
}

}  // namespace
}  // namespace muster::test
