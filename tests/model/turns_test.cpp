// A model of turns between processes: the production code of turns/ in a world of few members and steps, in which
// everything that they may do is tried: in each step a member arrives at barriers or does nothing (it is stopped, ended,
// or in a serial part). A member's own part is atomic here: what a reader finds of a half-written record is one of the
// arbitrary values of tests/turns/turns_test.cpp.
#include "turns/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace muster::model {
namespace {

using turns_tuning::kMostTurnsOff;
using turns_tuning::kTurnNs;

constexpr std::uint64_t kStepNs = kTurnNs / 4;
constexpr std::uint64_t kBegan = 1000 * kTurnNs;

class Member {
 public:
  void begin(TurnPage& page, unsigned number) {
    off_until_ns_ = 0;
    turns_ = std::make_unique<Turns>();
    turns_->begin({.open_page = [](void* context) { return static_cast<TurnPage*>(context); },
                   .read_needs = [](void*, TurnNeeds& needs) { needs = {2, CpuSet::first(2)}; },
                   .context = &page,
                   .id = number + 1});
  }
  // A step in which its threads arrive at barriers all the time. Whether it ran.
  bool works(std::uint64_t now_ns) {
    turns_->look(now_ns, true);
    const bool off = now_ns < off_until_ns_ || (turns_->in_force() && turns_->is_off(now_ns));
    if (off) off_until_ns_ = (now_ns / kTurnNs + 1) * kTurnNs;
    turns_->must_sleep(now_ns);  // its sign of life
    return !off;
  }

 private:
  std::unique_ptr<Turns> turns_;
  std::uint64_t off_until_ns_ = 0;
};

struct Longest {
  unsigned together =
      0;  // steps in a row in which two members ran that do not fit, both of them in every step
  unsigned waited = 0;  // steps in a row in which a member wanted to run and did not
};

// `choices`: in step s, bit s * members + i tells whether member i works.
template <unsigned members>
Longest run(std::uint64_t choices, unsigned steps, Member (&all)[members], TurnPage& page) {
  for (TurnRecord& record : page.records) {
    if (record.owner == 0) break;
    record.owner = 0;
    record.live_until_ns = 0;
  }
  for (unsigned i = 0; i < members; ++i) all[i].begin(page, i);
  Longest out;
  unsigned together = 0;
  unsigned waited[members] = {};
  for (unsigned step = 0; step < steps; ++step) {
    const std::uint64_t now_ns = kBegan + step * kStepNs;
    unsigned working = 0;
    unsigned ran = 0;
    for (unsigned i = 0; i < members; ++i) {
      if ((choices >> (step * members + i) & 1) == 0) {
        waited[i] = 0;
        continue;
      }
      ++working;
      const bool runs = all[i].works(now_ns + i);
      ran += runs ? 1 : 0;
      waited[i] = runs ? 0 : waited[i] + 1;
      out.waited = std::max(out.waited, waited[i]);
    }
    together = working > 1 && ran > 1 ? together + 1 : 0;
    out.together = std::max(out.together, together);
  }
  return out;
}

// Members that cannot run together do so for the rest of a turn at most, while they meet: in the turn in which they meet
// or one of them comes back. Nobody waits for more than the others' turns, of which one may be of a member that has
// stopped.
TEST(TurnsModel, TwoMembersAndEverythingTheyMayDo) {
  auto page = std::make_unique<TurnPage>();
  Member members[2];
  constexpr unsigned kSteps = 7;
  Longest longest;
  for (std::uint64_t choices = 0; choices < std::uint64_t{1} << 2 * kSteps; ++choices) {
    const Longest here = run(choices, kSteps, members, *page);
    longest.together = std::max(longest.together, here.together);
    longest.waited = std::max(longest.waited, here.waited);
  }
  EXPECT_LE(longest.together, 4U + 1);
  EXPECT_GT(longest.waited, 0U) << "they took turns";
  EXPECT_LE(longest.waited, 2U * 4);
}

// Whatever stands in the other records in each turn, a process has a turn after kMostTurnsOff of others.
TEST(TurnsModel, OneMemberAndEverythingThatOthersMayWrite) {
  auto page = std::make_unique<TurnPage>();
  constexpr unsigned kTurns = 8;
  constexpr unsigned kWays = 5;
  unsigned all = 1;
  for (unsigned turn = 0; turn < kTurns; ++turn) all *= kWays;
  unsigned most_off = 0;
  for (unsigned choices = 0; choices < all; ++choices) {
    Member me;
    me.begin(*page, 0);
    unsigned rest = choices;
    unsigned off = 0;
    // The same over and over: the longest that can be.
    for (unsigned turn = 0; turn < 4 * kTurns; ++turn, rest /= kWays) {
      if (turn % kTurns == 0) rest = choices;
      const std::uint64_t now_ns = kBegan + turn * kTurnNs;
      for (unsigned other = 1; other < 4; ++other) {
        TurnRecord& record = page->records[other];
        const unsigned way = rest % kWays;
        record.owner = way == 0 ? 0 : way == 1 ? 1 : 100 + other;  // nobody, this process, another
        record.live_until_ns = way == 2 ? ~std::uint64_t{0} : now_ns + kTurnNs;
        record.wants = way == 3 ? ~std::uint64_t{0} : way + other;
        record.cpus[0] = way == 4 ? ~std::uint64_t{0} : 3;
      }
      const bool ran = me.works(now_ns);
      off = ran ? 0 : off + 1;
      most_off = std::max(most_off, off);
    }
    page->records[0].owner = 0;
  }
  EXPECT_GT(most_off, 0U);
  EXPECT_LE(most_off, kMostTurnsOff + 1);
}

}  // namespace
}  // namespace muster::model
