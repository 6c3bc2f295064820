// What one thread did at the barriers of one team. There is one writer, so no counter needs a locked instruction:
// counting a barrier costs a few plain stores to a line that no other thread writes (below 2 ns).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "waiting/wait_meter.h"

namespace muster {

// Written by its owner only; any thread may read it at any time.
class Tally {
 public:
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void raise_to(std::uint64_t candidate) {
    if (candidate > value_.load(std::memory_order_relaxed)) {
      value_.store(candidate, std::memory_order_relaxed);
    }
  }
  void clear() { value_.store(0, std::memory_order_relaxed); }
  std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Whether an arrival counts as one at a barrier of the program. Arrivals at the begin and the end of folded regions do
// not: only their waits are counted.
enum class Counted : bool { kBarrier, kRegion };

// Waits by length. Bucket 0 holds those released within the quick polls, for which no clock was read. Bucket b holds
// those below 2^b x 512 ns that are in no earlier one. The last holds all longer ones.
inline constexpr unsigned kWaitBuckets = 24;
inline constexpr unsigned kFirstBucketShift = 9;

inline unsigned wait_bucket(std::uint64_t waited_ns) {
  const unsigned bucket = static_cast<unsigned>(std::bit_width(waited_ns >> kFirstBucketShift)) + 1;
  return bucket < kWaitBuckets ? bucket : kWaitBuckets - 1;
}

// The upper bound of bucket b >= 1, in ns.
constexpr std::uint64_t wait_bucket_below_ns(unsigned bucket) {
  return std::uint64_t{1} << (kFirstBucketShift + bucket - 1);
}

// X(member) for every plain counter, so that no sum misses one.
#define MUSTER_WAIT_COUNTERS(X)                                                         \
  X(barriers)        /* arrivals at Muster's barrier, released by it */                 \
  X(arrived_last)    /* of these: all others were there, so it did not wait */          \
  X(contended)       /* of the barriers: while the team was contended */                \
  X(spins_begun)     /* waits that began with a spinning phase */                       \
  X(spins_succeeded) /* of these: released without blocking */                          \
  X(blocks)          /* calls that slept */                                             \
  X(wakeups)         /* returns from such a sleep */                                    \
  X(wake_calls)      /* system calls that woke others */                                \
  X(yields)          /* sched_yield calls */                                            \
  X(long_yields)     /* of these: a competitor used the CPU for its slice */            \
  X(nudges)          /* moves from a teammate's CPU while another was idle */           \
  X(short_slices)    /* times that this thread asked for a shorter time slice */        \
  X(gatherings)      /* times that the team was gathered on one CPU */                  \
  X(moves)           /* of this thread, to the CPU where the team is */                 \
  X(failed_updates)  /* compare-and-swap or store-conditional that failed on arrival */ \
  X(turn_sleeps)     /* sleeps in other processes' turns, before an arrival */          \
  X(turn_slept_ns)   /* the time that they slept */                                     \
  X(waited_ns)       /* time waited after the quick polls */

struct WaitStats {
  WaitMeter* meter = nullptr;  // counts events of this thread's waits, if set
#define MUSTER_COUNTER(name) Tally name;
  MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  Tally longest_wait_ns;
  Tally histogram[kWaitBuckets];

  void wait_begins(bool spins) {
    if (spins) spins_begun.add();
    if (meter != nullptr) [[unlikely]]
      meter->wait_begins(*meter, *this);
  }
  void wait_ends() const {
    if (meter != nullptr) [[unlikely]]
      meter->wait_ends(*meter, *this);
  }

  void slept_in_turn(std::uint64_t begin_ns, std::uint64_t slept_ns) {
    turn_sleeps.add();
    turn_slept_ns.add(slept_ns);
    if (meter != nullptr && meter->slept_in_turn != nullptr)
      meter->slept_in_turn(*meter, begin_ns, begin_ns + slept_ns);
  }

  // For as long as a thread may sleep.
  struct Sleep {
    explicit Sleep(const WaitStats& stats) : meter(stats.meter) {
      if (meter != nullptr && meter->sleep_begins != nullptr) meter->sleep_begins(*meter);
    }
    ~Sleep() {
      if (meter != nullptr && meter->sleep_ends != nullptr) meter->sleep_ends(*meter);
    }
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;
    WaitMeter* const meter;
  };

  void waited(std::uint64_t from_ns, std::uint64_t to_ns) {
    const std::uint64_t ns = to_ns > from_ns ? to_ns - from_ns : 0;  // the clock may jump
    waited_ns.add(ns);
    longest_wait_ns.raise_to(ns);
    histogram[wait_bucket(ns)].add();
  }

  // Instances at which this thread had to wait, because it was not the last to arrive. Counted when the wait is over,
  // also if a task called the instance off.
  std::uint64_t waits() const {
    std::uint64_t sum = 0;
    for (const Tally& bucket : histogram) sum += bucket.read();
    return sum;
  }

  void add_to(WaitStats& sum) const {
#define MUSTER_COUNTER(name) sum.name.add(name.read());
    MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
    sum.longest_wait_ns.raise_to(longest_wait_ns.read());
    for (unsigned b = 0; b < kWaitBuckets; ++b) sum.histogram[b].add(histogram[b].read());
  }

  void clear() {
#define MUSTER_COUNTER(name) name.clear();
    MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
    longest_wait_ns.clear();
    for (Tally& bucket : histogram) bucket.clear();
  }
};

}  // namespace muster
