#include "sim/smp/stock_jobs.h"

#include <stdexcept>
#include <string>

#include "sim/smp/fiber_job.h"
#include "sim/smp/simulated_memory.h"

namespace muster::smp {
namespace {

using Memory = SimulatedMemory;

class Stock : public FiberJob<Job> {
 public:
  Stock(const JobPlan& plan, unsigned number, const Costs& costs, unsigned processors)
      : FiberJob(plan, number, costs), oversubscribed_(plan.size > processors) {}

 protected:
  bool oversubscribed() const { return oversubscribed_; }

  // One instance as SSR has it: spun at all, blocked at all.
  struct Wait {
    bool spun = false;
    bool blocked = false;
  };
  void count(unsigned thread, const Wait& wait) {
    Waits& waits = waits_of(thread);
    ++waits.barriers;
    if (wait.spun) ++waits.spins;
    if (wait.spun && !wait.blocked) ++waits.successful_spins;
  }

 private:
  const bool oversubscribed_;
};

class Libomp : public Stock {
 public:
  Libomp(const JobPlan& plan, unsigned number, const Costs& costs, unsigned processors,
         bool passive)
      : Stock(plan, number, costs, processors),
        block_time_(passive ? 0 : kDefaultBlockTime),
        threads_(plan.size) {}

 private:
  static constexpr Time kDefaultBlockTime = 200'000'000;
  static constexpr Time kFirstLooks = 512;
  static constexpr Time kNextLooks = 256;
  static constexpr unsigned kBranchBits = 2;

  struct Flag {
    Memory::Atomic<std::uint64_t> value{0};
    Memory::Atomic<std::uint32_t> asleep{0};  // also what the sleeper sleeps on
  };
  struct OneThread {
    Flag arrived;
    Flag go;
  };

  void arrive_and_wait(unsigned me, std::uint64_t instance) override {
    Wait wait;
    if (gather(me, instance, wait)) wait_for(threads_[me].go, instance, me, wait);
    release(me);
    count(me, wait);
  }

  // True: told a parent, and has to be let go by it.
  bool gather(unsigned me, std::uint64_t instance, Wait& wait) {
    for (unsigned level = 0; 1U << level < plan().size; level += kBranchBits) {
      if ((me >> level & kMask) != 0) {
        set(threads_[me].arrived);
        return true;
      }
      for (unsigned child = 1; child <= kMask; ++child) {
        const unsigned other = me + (child << level);
        if (other >= plan().size) break;
        wait_for(threads_[other].arrived, instance, me, wait);
      }
    }
    return false;
  }

  void release(unsigned me) {
    unsigned level = 0;
    while (1U << level < plan().size && (me >> level & kMask) == 0) level += kBranchBits;
    while (level >= kBranchBits) {
      level -= kBranchBits;
      for (unsigned child = kMask; child >= 1; --child) {
        const unsigned other = me + (child << level);
        if (other < plan().size) set(threads_[other].go);
      }
    }
  }

  static void set(Flag& flag) {
    flag.value.fetch_add(1, std::memory_order_acq_rel);
    if (flag.asleep.load(std::memory_order_acquire) == 0) return;
    flag.asleep.store(0, std::memory_order_release);
    Memory::wake_all(flag.asleep);
  }

  void wait_for(Flag& flag, std::uint64_t instance, unsigned me, Wait& wait) {
    const auto done = [&] { return flag.value.load(std::memory_order_acquire) >= instance; };
    if (done()) return;
    wait.spun = wait.spun || block_time_ != 0;
    const Time goal = time_stamp() + block_time_;
    Time yield_at = world().ran() + looks(kFirstLooks);
    while (!done()) {
      Memory::pause();
      if (oversubscribed()) {
        Memory::Scheduler::yield();
      } else if (world().ran() >= yield_at) {
        Memory::Scheduler::yield();
        yield_at = world().ran() + looks(kNextLooks);
      }
      if (time_stamp() < goal) continue;
      wait.blocked = true;
      ++waits_of(me).blocks;
      flag.asleep.store(1, std::memory_order_release);
      if (done()) continue;
      Memory::wait(flag.asleep, 1, /*limited=*/false);
    }
  }

  // It reads the processor's time stamp, without a call.
  Time time_stamp() {
    world().pay(world().costs().clock / 2);
    return world().now();
  }
  // What so many looks take, since one of the simulator's may stand for several.
  Time looks(Time count) {
    const Costs& costs = world().costs();
    return count * (costs.load + costs.pause + costs.clock / 2);
  }

  static constexpr unsigned kMask = (1U << kBranchBits) - 1;

  const Time block_time_;
  std::vector<OneThread> threads_;
};

class Libgomp : public Stock {
 public:
  Libgomp(const JobPlan& plan, unsigned number, const Costs& costs, unsigned processors,
          bool passive)
      : Stock(plan, number, costs, processors),
        looks_(passive            ? 0
               : oversubscribed() ? kThrottledLooks
                                  : kLooks) {}

 private:
  static constexpr Time kLooks = 300'000;
  static constexpr Time kThrottledLooks = 100;

  void arrive_and_wait(unsigned me, std::uint64_t instance) override {
    Wait wait;
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == instance * plan().size) {
      generation_.store(static_cast<std::uint32_t>(instance), std::memory_order_release);
      Memory::wake_all(generation_);
      return count(me, wait);
    }
    const auto before = static_cast<std::uint32_t>(instance - 1);
    wait.spun = looks_ != 0;
    while (generation_.load(std::memory_order_acquire) == before) {
      if (spin(before)) break;
      wait.blocked = true;
      ++waits_of(me).blocks;
      Memory::wait(generation_, before, /*limited=*/false);
    }
    count(me, wait);
  }

  // Whether it came about. The looks are counted by the time that they take, since one of the simulator's
  // may stand for several.
  bool spin(std::uint32_t before) {
    const Time until = world().ran() + looks_ * (world().costs().pause + world().costs().load);
    while (world().ran() < until) {
      if (generation_.load(std::memory_order_relaxed) != before) return true;
      Memory::pause();
    }
    return false;
  }

  const Time looks_;
  Memory::Atomic<std::uint64_t> arrived_{0};
  Memory::Atomic<std::uint32_t> generation_{0};
};

}  // namespace

bool is_stock_policy(std::string_view policy) {
  return policy == "libomp" || policy == "libomp-passive" || policy == "libgomp" ||
         policy == "libgomp-passive";
}

std::unique_ptr<Job> make_stock(const JobPlan& plan, unsigned number, const Costs& costs,
                                unsigned processors) {
  if (!is_stock_policy(plan.policy))
    throw std::invalid_argument("\"" + plan.policy + "\" is none of " + kStockPolicies);
  const bool passive = plan.policy.ends_with("-passive");
  if (plan.policy.starts_with("libomp"))
    return std::make_unique<Libomp>(plan, number, costs, processors, passive);
  return std::make_unique<Libgomp>(plan, number, costs, processors, passive);
}

}  // namespace muster::smp
