// The page that processes of one user share to take turns: one record for each process whose teams want CPUs that others
// want, too. docs/understand/turns.md explains the protocol.
//
// Every value in it is untrusted: another process may write anything at any time, be stopped at any instruction, or end
// there. So the page has no lock, no pointer and no index, each word is read once, and a reader checks its range. What
// a wrong value can do is to make a reader wait for a turn, which turns.h bounds.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "turns/cpu_set.h"

namespace muster {

// One process. Only its owner writes it, apart from a claim.
struct alignas(64) TurnRecord {
  std::atomic<std::uint64_t> owner{0};  // a number that no other process has; 0: free
  // Until when the owner is at work, if nothing more is heard of it. It is the only sign of life: a process that ended,
  // was stopped or computes without barriers lets it pass.
  std::atomic<std::uint64_t> live_until_ns{0};
  // CPUs: its threads, or as many as there are if there are fewer.
  std::atomic<std::uint64_t> wants{0};
  std::atomic<std::uint64_t> cpus[CpuSet::kWords]{};  // that it may use
};

struct TurnPage {
  // In every build that shares this layout and rule.
  static constexpr std::uint64_t kVersion = 0x4d75737465720002;
  static constexpr unsigned kRecords = 340;

  std::atomic<std::uint64_t> version{0};  // 0: new
  TurnRecord records[kRecords];

  // False if another version uses the page.
  bool is_usable() {
    std::uint64_t found = 0;
    return version.compare_exchange_strong(found, kVersion, std::memory_order_relaxed) ||
           found == kVersion;
  }
};

static_assert(sizeof(TurnPage) <= std::size_t{64} * 1024);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace muster
