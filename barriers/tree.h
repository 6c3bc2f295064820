// `tree`: gather up a tree, release down it, in the shape of the machine.
//
// Idea     Threads are grouped by what they share: SMT siblings, then a cache, then a NUMA node. The first thread of a
//          group gathers the others' arrivals and represents the group one level up. The release takes the same way
//          down. Most line transfers stay within a group.
// Cost     2(n - 1) line transfers; the critical path has about sum(radix - 1) elements up and as many sensors down,
//          O(log n) for a fixed radix.
// Order    Arrival and sensor stores are releases, their reads acquires, along the edges of the tree.
// Source   Mellor-Crummey & Scott 1991, section 3.4 (tree barrier with local spinning); the shape from hwloc. Thread
//          numbers are assumed to follow the topology, as with OMP_PROC_BIND=close; otherwise the tree is still
//          correct, only less local.
//
// With radix r at a level whose groups have s threads, thread t leads its group there if t % (s r) = 0. Parents and
// children are computed, nothing is stored. Each thread sleeps on its own word.
#pragma once

#include "barriers/layout.h"
#include "waiting/memory.h"
#include "waiting/sleep_word.h"

namespace muster {

template <Memory Memory, class Waiter>
class Tree {
 public:
  Tree(unsigned team, const Layout& layout, Arena& arena)
      : team_(team),
        arrived_(arena, team, layout),
        sensor_(arena, team, layout),
        sleep_(arena, team, layout) {
    for (unsigned level = 0; level < kMaxTreeLevels; ++level) {
      radix_[level] = layout.radix[level] >= 2 ? layout.radix[level] : 0;
    }
    if (radix_[0] == 0) radix_[0] = 4;
  }
  static std::size_t bytes(unsigned team, const Layout& layout) {
    return 2 * PaddedArray<Word>::bytes(team, layout) +
           PaddedArray<SleepWord<Memory>>::bytes(team, layout);
  }

  bool arrive_and_wait(unsigned me, Episode episode, Waiter& waiter) {
    return gather(me, episode, waiter) && release(me, episode, waiter);
  }

  bool gather(unsigned me, Episode episode, Waiter& waiter) {
    Level level;
    for (; leads(me, level); level = above(level)) {
      for (unsigned child = me + level.size; child < group_end(me, level); child += level.size) {
        Word& its = arrived_[child];
        const auto arrived = [&] { return its.load(std::memory_order_acquire) >= episode; };
        if (!waiter.wait(arrived, sleep_[me])) return false;
      }
    }
    if (me != kRoot) {
      const unsigned parent = me - me % (level.size * level.radix);
      arrived_[me].store(episode, std::memory_order_release);
      waiter.wake(sleep_[parent]);
    }
    return true;
  }

  bool release(unsigned me, Episode episode, Waiter& waiter) {
    if (me != kRoot) {
      Word& mine = sensor_[me];
      const auto released = [&] { return mine.load(std::memory_order_acquire) >= episode; };
      if (!waiter.wait(released, sleep_[me])) return false;
    }
    release_children(me, episode, waiter);
    return true;
  }

  // If all other threads are children of the root, no thread has to pass a release on.
  bool may_use_announcement(const Waiter&) const { return team_ <= radix_[0]; }

  void wake_everyone(WaitStats& stats) {
    for (unsigned i = 0; i < team_; ++i) sleep_[i].wake(stats);
  }

 private:
  using Word = typename Memory::template Atomic<Episode>;
  static constexpr unsigned kRoot = 0;

  // `radix` groups of `size` threads each make one group of the next level.
  struct Level {
    unsigned index = 0;
    unsigned size = 1;
    unsigned radix = 0;  // filled by leads()
  };

  bool leads(unsigned me, Level& level) const {
    level.radix = radix_[level.index];
    return level.size < team_ && me % (level.size * level.radix) == 0;
  }
  Level above(const Level& level) const {
    const bool repeats = level.index + 1 == kMaxTreeLevels || radix_[level.index + 1] == 0;
    return {repeats ? level.index : level.index + 1, level.size * level.radix, 0};
  }
  unsigned group_end(unsigned leader, const Level& level) const {
    const unsigned end = leader + level.size * level.radix;
    return end < team_ ? end : team_;
  }

  // The farthest first: their subtrees are the deepest.
  void release_children(unsigned me, Episode episode, Waiter& waiter) {
    Level levels[2 * kMaxTreeLevels];
    unsigned led = 0;
    for (Level level; leads(me, level); level = above(level)) levels[led++] = level;
    while (led-- > 0) {
      const Level& level = levels[led];
      for (unsigned child = me + level.size; child < group_end(me, level); child += level.size) {
        sensor_[child].store(episode, std::memory_order_release);
        waiter.wake(sleep_[child]);
      }
    }
  }

  const unsigned team_;
  unsigned radix_[kMaxTreeLevels];
  PaddedArray<Word> arrived_;
  PaddedArray<Word> sensor_;
  PaddedArray<SleepWord<Memory>> sleep_;
};

}  // namespace muster
