// A team in which only one thread is real: its waits run on a simulated clock, and the test plays its teammates, the
// scheduler and the competitors.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "waiting/memory.h"
#include "waiting/waiting_policy.h"

namespace muster::test {

// Time advances by itself: by 10 ns for a pause, 1 ns for a clock read, `yield_ns` for a yield, `sleep_ns` for a sleep.
// Yields and naps are no CPU time.
struct SimulatedMemory : NativeMemory {
  static inline std::uint64_t now = 0;
  static inline std::uint64_t given_up_ns = 0;
  static inline std::uint64_t teammates_ns = 0;  // CPU time of the process's other threads
  static inline std::uint64_t yield_ns = 1'000;
  static inline std::uint64_t sleep_ns = 10'000;
  static inline unsigned cpus = 4;
  static inline unsigned cpu = 0;
  static inline unsigned placed = kNoCpu;  // where the last wait moved to; it comes back to `cpu`
  static inline unsigned left = kNoCpu;    // by a nudge
  static inline std::uint64_t idle_ns = 0;
  static inline std::uint64_t slice_ns = 0;
  static inline bool may_ask = true;
  static inline bool real_time = false;
  static void reset() {
    now = 1'000'000'000;
    given_up_ns = 0;
    teammates_ns = 0;
    yield_ns = 1'000;
    sleep_ns = 10'000;
    cpus = 4;
    cpu = 0;
    placed = kNoCpu;
    left = kNoCpu;
    idle_ns = 0;
    slice_ns = 0;
    may_ask = true;
    real_time = false;
  }
  static void pause() { now += 10; }
  static std::uint64_t now_ns() { return ++now; }
  static std::uint64_t thread_cpu_ns() { return now - given_up_ns; }
  static std::uint64_t process_cpu_ns() { return thread_cpu_ns() + teammates_ns; }

  struct Scheduler {
    static void yield() { nap(yield_ns); }
    static void nap(std::uint64_t ns) {
      now += ns;
      given_up_ns += ns;
    }
    static unsigned allowed_cpus() { return cpus; }
    static bool runs_in_real_time(std::uint64_t) { return real_time; }
    static unsigned current_cpu() { return cpu; }
    static bool may_ask_scheduler(std::uint64_t) { return may_ask; }
    static unsigned cpu_for_thread(unsigned thread, unsigned) { return thread; }
    static bool move_to(unsigned where) {
      placed = where;
      return true;
    }
    static bool leave_cpu(unsigned where) {
      left = where;
      return true;
    }
    static unsigned pick_cpu(unsigned) { return cpus - 1; }
    static std::uint64_t idle_ns_elsewhere(unsigned) { return idle_ns; }
    static bool ask_for_slice(std::uint64_t ns) {
      slice_ns = ns;
      return true;
    }
    static bool has_requested_slice() { return slice_ns != 0; }
    static void give_slice_back() { slice_ns = 0; }
  };

  static bool heavy_fence() { return true; }
  static bool wait(Atomic<std::uint32_t>&, std::uint32_t, bool) {
    now += sleep_ns;
    return true;
  }
};
static_assert(Memory<SimulatedMemory>);

class SimulatedTeam {
 public:
  explicit SimulatedTeam(unsigned size)
      : place_(Arrivals<SimulatedMemory>::bytes(size) / sizeof(Granule) + 1),
        arrivals_(place_.data(), size) {
    SimulatedMemory::reset();
  }

  Arrivals<SimulatedMemory>& arrivals() { return arrivals_; }
  WaitStats& stats() { return stats_; }
  Episode episode() const { return episode_; }

  // Thread `thread` arrives at instance `episode` on `cpu`.
  void arrive(unsigned thread, unsigned cpu, Episode episode) {
    const unsigned mine = SimulatedMemory::cpu;
    SimulatedMemory::cpu = cpu;
    arrivals_.arrive(thread, episode);
    SimulatedMemory::cpu = mine;
  }
  void next_episode() { ++episode_; }

  // Thread 0 waits at the current instance, until done() or until it should block. Returns the duration; `released`
  // tells which of the two ended it.
  template <class Policy>
  std::uint64_t wait(Policy& policy, const std::function<bool()>& done, bool& released) {
    const std::uint64_t start = SimulatedMemory::now;
    SimulatedMemory::placed = kNoCpu;
    arrivals_.arrive(0, episode_);
    const Wait<SimulatedMemory> wait{arrivals_, 0, episode_, start, stats_};
    released = policy.template spin<SimulatedMemory>(wait, done);
    return SimulatedMemory::now - start;
  }

  // Thread 0 waits for the next region, which begins after `gap_ns`. Returns for how long it spun.
  template <class Policy>
  std::uint64_t wait_between_regions(Policy& policy, std::uint64_t gap_ns) {
    const std::uint64_t start = SimulatedMemory::now;
    const Wait<SimulatedMemory> wait{arrivals_, 0, episode_, start, stats_, true};
    const auto begins = [&] { return SimulatedMemory::now - start >= gap_ns; };
    const bool released = policy.template spin<SimulatedMemory>(wait, begins);
    const std::uint64_t spun = SimulatedMemory::now - start;
    if (!released) {
      SimulatedMemory::now = std::max(SimulatedMemory::now, start + gap_ns);
      policy.note_gap(SimulatedMemory::now - start);
    }
    next_episode();
    return spun;
  }

  // The same as wait() if nothing happens.
  template <class Policy>
  std::uint64_t wait_in_vain(Policy& policy) {
    bool released = true;
    const std::uint64_t spun = wait(policy, [] { return false; }, released);
    return released ? ~std::uint64_t{0} : spun;
  }

 private:
  struct alignas(kCoherenceGranule) Granule {
    std::byte bytes[kCoherenceGranule];
  };
  std::vector<Granule> place_;
  Arrivals<SimulatedMemory> arrivals_;
  WaitStats stats_;
  Episode episode_ = 1;
};

}  // namespace muster::test
