// How much CPU time other processes used lately. A thread's own yields cannot tell: one that returned
// late gave its slice to another process or to a teammate that computes. What is neither idle time nor
// stolen by the host of a virtual machine nor this process's own was used by others.
//
// Cost: three clocks and a read of /proc/stat (15 us), every 50 ms at most, by one thread. For callers
// that have just lost half a millisecond anyway.
#pragma once

#include <atomic>
#include <cstdint>

namespace muster {

// In ns, from any origin: wall time, this process's CPU time, and what nobody uses of the CPUs that it
// may use: their idle and stolen time.
struct CpuClocks {
  std::uint64_t wall_ns = 0;
  std::uint64_t own_ns = 0;
  std::uint64_t unused_ns = 0;
  unsigned cpus = 0;  // 0: something is unknown
};

// Relaxed throughout: a stale answer costs nothing but time.
class OtherCpuTime {
 public:
  static constexpr std::uint64_t kWindowNs = 50'000'000;
  static constexpr std::uint64_t kStaleNs =
      2'000'000'000;  // a window that began longer ago says nothing about now
  static constexpr std::uint64_t kShare = 4;  // a quarter of one CPU counts

  // Whether others used a quarter of a CPU or more in the last window. read() returns the CpuClocks.
  // False until there has been one, and where the times are unknown.
  template <class Read>
  bool others_ran(std::uint64_t now_ns, Read&& read) {
    const std::uint64_t since_ns = now_ns - begun_ns_.load(std::memory_order_relaxed);
    if (since_ns >= kWindowNs && !reading_.exchange(true, std::memory_order_acquire)) {
      end_window(read());
      begun_ns_.store(now_ns, std::memory_order_relaxed);
      reading_.store(false, std::memory_order_release);
    }
    return others_ran_.load(std::memory_order_relaxed);
  }

  // In the child of a fork: the thread that was reading does not exist here, and CPU time starts at zero.
  void after_fork_in_child() {
    begun_ns_.store(0, std::memory_order_relaxed);
    last_ = {};
    others_ran_.store(false, std::memory_order_relaxed);
    reading_.store(false, std::memory_order_relaxed);
  }

 private:
  void end_window(const CpuClocks& now) {
    const CpuClocks before = last_;
    last_ = now;
    const std::uint64_t wall_ns = now.wall_ns - before.wall_ns;
    if (now.cpus == 0 || before.cpus != now.cpus || wall_ns > kStaleNs) {
      others_ran_.store(false, std::memory_order_relaxed);
      return;
    }
    const std::uint64_t all_ns = wall_ns * now.cpus;
    const std::uint64_t not_others_ns =
        now.own_ns - before.own_ns + now.unused_ns - before.unused_ns;
    const bool ran = all_ns > not_others_ns && (all_ns - not_others_ns) * kShare >= wall_ns;
    others_ran_.store(ran, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> begun_ns_{0};
  std::atomic<bool> others_ran_{false};
  std::atomic<bool> reading_{false};
  CpuClocks last_;  // used by the thread that is reading only
};

}  // namespace muster
