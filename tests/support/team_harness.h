// Runs a barrier of the registry with real threads, for the unit suites.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "barriers/native_registry.h"

namespace muster::test {

// Every algorithm and every policy, from the tables, so that a new row is tested at once.
inline std::vector<BarrierKind> algorithms() {
  std::vector<BarrierKind> out;
  for (int i = 0; i < kBarrierKinds; ++i) {
    const auto kind = static_cast<BarrierKind>(i);
    if (kind != BarrierKind::kNative && kind != BarrierKind::kAuto) out.push_back(kind);
  }
  return out;
}

inline std::vector<WaitKind> policies() {
  std::vector<WaitKind> out;
  for (int i = 0; i < kWaitKinds; ++i) out.push_back(static_cast<WaitKind>(i));
  return out;
}

// For --full. Otherwise none: to register some thousand cases would take each process 30 ms.
inline std::vector<WaitKind> policies_of_full() {
  return std::getenv("MUSTER_TEST_FULL") != nullptr ? policies() : std::vector<WaitKind>{};
}

// Those that differ in more than how long they spin.
inline std::vector<WaitKind> kinds_of_policies() {
  return {WaitKind::kSpin, WaitKind::kBlock, WaitKind::kYield, WaitKind::kTwoCsPlus,
          WaitKind::kAuto};
}

// Whether threads block under this policy.
inline bool sleeps(WaitKind wait) { return wait != WaitKind::kSpin && wait != WaitKind::kYield; }

inline std::string plain(const char* name) {
  std::string out;
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '+') out += "Plus";
    if (std::isalnum(static_cast<unsigned char>(*at)) != 0) out += *at;
  }
  return out;
}

// A team over any Memory, with `size` members.
template <class Memory>
class TestTeam {
 public:
  TestTeam(BarrierKind barrier, WaitKind wait, unsigned size, const Layout& layout = {})
      : size_(size), ops_(barrier_ops<Memory>(barrier)), stats_(size) {
    const WaitParameters parameters{.wait = wait,
                                    .team_size = size,
                                    .context_switch_ns = kContextSwitchNs,
                                    .wake_ns = kContextSwitchNs,
                                    .fixed_ns = 20'000};
    if (arena_.reserve(ops_->bytes(size, layout))) {
      state_ = ops_->create(arena_, size, layout, parameters);
    }
  }

  bool made() const { return state_ != nullptr; }

  bool arrive(unsigned me, Episode episode) {
    return ops_->arrive_and_wait(state_, me, episode, call_off_, stats_[me]);
  }

  bool gather(unsigned me, Episode episode) {
    return ops_->gather(state_, me, episode, call_off_, stats_[me], Counted::kBarrier);
  }

  bool release(unsigned me, Episode episode, Episode ended_by) {
    if (me == 0) announced_.store(episode, std::memory_order_release);
    const auto* announced = announces ? &announced_ : nullptr;
    return ops_->release(state_, me, episode, ended_by, announced, call_off_, stats_[me],
                         Counted::kBarrier);
  }

  void call_off(unsigned me, Episode episode) {
    if (call_off_.request(episode)) ops_->wake_everyone(state_, stats_[me]);
  }

  // body(thread number), each in a thread of its own.
  void run(const std::function<void(unsigned)>& body) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < size_; ++i) threads.emplace_back(body, i);
    for (std::thread& thread : threads) thread.join();
  }

  WaitStats& stats(unsigned me) { return stats_[me]; }
  unsigned size() const { return size_; }

  // Whether releases are also announced in a word beside the work.
  bool announces = false;

 private:
  static constexpr std::uint64_t kContextSwitchNs = 2'000;

  const unsigned size_;
  Arena arena_;
  CallOff<Memory> call_off_;
  alignas(kCoherenceGranule) typename Memory::template Atomic<Episode> announced_{kNoEpisode};
  const BarrierOps<Memory>* ops_;
  std::vector<WaitStats> stats_;
  void* state_ = nullptr;
};

}  // namespace muster::test
