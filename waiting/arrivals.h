// Which threads of a team have arrived, and on which CPU each was last seen.
//
// Each thread has a slot. On arrival it stores the episode and its CPU there: one store to a line of its own. A waiter
// whose quick polls failed reads the slots of its teammates: while it spins, it keeps a teammate from running that has
// not arrived and was last seen on the same CPU. All of it is advice: it decides how to wait, never whether.
//
// Fences. The asymmetric pair of platform/fences.h makes a release cheap and a sleep expensive: one interrupt to each
// CPU that runs a teammate. A team whose threads sleep at nearly every instance wants the opposite: full fences on both
// sides. It changes to them, and back, at an instance that its threads agree on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "platform/affinity.h"
#include "platform/cache_line.h"
#include "waiting/agreed_bits.h"
#include "waiting/episode.h"
#include "waiting/scheduler.h"

namespace muster {

inline constexpr unsigned kNobody = ~0U;
inline constexpr unsigned kUnknownCpu = ~0U;  // current_cpu() is not available

template <class Memory>
class Arrivals {
 public:
  // `place` is null for policies that do not use arrivals; otherwise bytes(team) bytes, aligned to the coherence
  // granule.
  Arrivals(void* place, unsigned team) : team_(place != nullptr ? team : 0) {
    slots_ = static_cast<Slot*>(place);
    for (unsigned i = 0; i < team_; ++i) ::new (static_cast<void*>(slots_ + i)) Slot();
  }
  static constexpr std::size_t bytes(unsigned team) { return team * sizeof(Slot); }

  unsigned team() const { return team_; }

  // Out of line. A team that fits and has no competitors does not call it, so its barrier should not carry the code.
  [[gnu::noinline]] void arrive(unsigned me, Episode episode) {
    slots_[me].arrival.store(episode << kCpuBits | cpu_of_caller<Memory>() % kMaxCpus,
                             std::memory_order_relaxed);
  }

  // A teammate that has not arrived and whose last arrival was on `cpu`; kNobody if there is none. The last arrival was
  // one instance ago, or two where this is a release: the gather between may not be reached yet. Nothing is known of
  // instances at which arrivals were not recorded.
  unsigned absent_on(unsigned cpu, unsigned me, Episode episode) const {
    if (cpu == kUnknownCpu) return kNobody;  // otherwise all threads would seem to share one CPU
    for (unsigned step = 1; step < team_; ++step) {
      const unsigned other = me + step < team_ ? me + step : me + step - team_;
      const Episode arrival = slots_[other].arrival.load(std::memory_order_relaxed);
      const Episode behind = episode - (arrival >> kCpuBits);
      if ((behind == 1 || behind == 2) && arrival % kMaxCpus == cpu % kMaxCpus) return other;
    }
    return kNobody;
  }

  // The number of threads that have arrived.
  unsigned arrived(Episode episode) const {
    unsigned count = 0;
    for (unsigned i = 0; i < team_; ++i) {
      if (has_arrived(i, episode)) ++count;
    }
    return count;
  }

  // The number of CPUs on which threads were seen at their last recorded arrivals. 0 if none was recorded.
  [[gnu::noinline]] unsigned cpus_seen() const {
    AffinityMask seen;
    for (unsigned i = 0; i < team_; ++i)
      seen.set(slots_[i].arrival.load(std::memory_order_relaxed) % kMaxCpus);
    return seen.count();
  }

  // What the team agrees on.
  AgreedBits<Memory>& agreed() { return agreed_; }
  const AgreedBits<Memory>& agreed() const { return agreed_; }

 private:
  bool has_arrived(unsigned thread, Episode episode) const {
    return slots_[thread].arrival.load(std::memory_order_relaxed) >> kCpuBits >= episode;
  }

  static constexpr unsigned kCpuBits = 16;
  static constexpr unsigned kMaxCpus = 1U << kCpuBits;

  struct alignas(kCoherenceGranule) Slot {
    // Episode << 16 | CPU; before the first arrival, a CPU that is in no mask.
    typename Memory::template Atomic<Episode> arrival{kMaxCpus - 1};
  };

  Slot* slots_;
  unsigned team_;
  AgreedBits<Memory> agreed_;
};

}  // namespace muster
