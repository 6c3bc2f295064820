// Bits that the threads of a team agree on: a bit changes at an instance that all of them know, so at one instance all
// threads see the same bits.
//
// A thread at instance e requests a change, which takes effect at e + 3. Two things make this safe.
// - Every thread at e + 3 knows of the change: at least one of e + 1 and e + 2 is a whole barrier, or a release, that no
//   thread leaves before the requesting thread has gone on from e; and every thread at e + 3 has left both. For e + 2
//   this does not hold. If e is a release and e + 1 a gather, a thread may leave both while the requesting one is at e.
// - A thread that is behind e + 3 still sees the bits from before: the word holds the old bits and the new ones. No
//   thread is further behind than e - 2, so a request is accepted from the third instance after the last change on.
//
// All bits share one word, so that a barrier reads one. A request may concern any of them and leaves the others as they
// are, in the old bits and in the new ones. A request that is not accepted is lost, whichever bits it concerns: threads
// repeat theirs at their next waits.
#pragma once

#include <atomic>

#include "waiting/episode.h"

namespace muster {

// Sleepers and wakers both use full fences (waiting/arrivals.h).
inline constexpr unsigned kFullFences = 1;
// The team has too few CPUs, or shares them with other processes (barriers/while_contended.h).
inline constexpr unsigned kContended = 2;

template <class Memory>
class AgreedBits {
 public:
  // The bits that are set at this instance.
  unsigned at(Episode episode) const {
    const Episode change = change_.load(std::memory_order_relaxed);
    if (change == 0) [[likely]]  // never requested
      return 0;
    return (episode >= change >> 2 * kBits ? change : change >> kBits) & kAll;
  }

  // Requests that these bits be set, or cleared, three instances later. The caller is at instance `episode`.
  void request(unsigned bits, bool set, Episode episode) {
    Episode change = change_.load(std::memory_order_relaxed);
    const Episode before = change & kAll;
    const Episode after = set ? before | bits : before & ~Episode{bits};
    if (after == before || episode < (change >> 2 * kBits) + kDelay) return;
    change_.compare_exchange_weak(change, (episode + kDelay) << 2 * kBits | before << kBits | after,
                                  std::memory_order_relaxed, std::memory_order_relaxed);
  }

 private:
  static constexpr Episode kDelay = 3;
  static constexpr unsigned kBits = 2;
  static constexpr unsigned kAll = (1U << kBits) - 1;

  // The instance of the last change, the bits before it, the bits from it on.
  typename Memory::template Atomic<Episode> change_{0};
};

}  // namespace muster
