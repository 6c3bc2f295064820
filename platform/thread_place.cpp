#include "platform/thread_place.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "platform/futex.h"
#include "platform/missing.h"
#include "platform/optional_calls.h"
#include "platform/real_time.h"

namespace muster {
namespace {

// The number of threads that are being moved, and whether moves have ended.
constexpr std::uint32_t kEnded = 1U << 31;
constinit std::atomic<std::uint32_t> g_moves{0};

// By a system call: the C library's function excludes the signals with which it cancels threads.
class NoSignals {
 public:
  NoSignals() {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    blocked_ = syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof(before_)) == 0;
  }
  ~NoSignals() {
    if (blocked_) syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof(before_));
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  bool blocked() const { return blocked_; }

 private:
  std::uint64_t before_ = 0;
  bool blocked_ = false;
};

class Move {
 public:
  Move() {
    std::uint32_t moves = g_moves.load(std::memory_order_relaxed);
    while ((moves & kEnded) == 0 && !begun_) {
      begun_ = g_moves.compare_exchange_weak(moves, moves + 1, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }
  }
  ~Move() {
    // end_moves() waits for the last move.
    if (begun_ && g_moves.fetch_sub(1, std::memory_order_release) == (kEnded | 1)) {
      futex_wake_all(g_moves);
    }
  }
  Move(const Move&) = delete;
  Move& operator=(const Move&) = delete;
  bool begun() const { return begun_; }

 private:
  bool begun_ = false;
};

// The mask of a thread while it is moved.
enum class Allowed { kOneCpu, kAllOthers };

void narrow(AffinityMask& mask, unsigned cpu, Allowed where) {
  if (where == Allowed::kOneCpu) {
    mask.clear_all();
    mask.set(cpu);
  } else {
    mask.clear(cpu);
  }
}

// Whether `mask` is the result of narrow() for `before`. Changes it.
bool is_narrowed(AffinityMask& mask, const AffinityMask& before, unsigned cpu, Allowed where) {
  if (where == Allowed::kOneCpu) return mask.has(cpu) && mask.count() == 1;
  if (mask.has(cpu)) return false;
  mask.set(cpu);
  return mask == before;
}

constexpr AffinityMask kAllCpus = AffinityMask::all();

// Uses two masks only: this runs in waits, and stacks may be small.
bool move(unsigned cpu, Allowed where) {
  const int saved = errno;
  bool moved = false;
  const OptionalCalls calls;
  if (calls.allow(SYS_sched_setaffinity) && calls.allow(SYS_rt_sigprocmask)) {
    const NoSignals none;
    const Move move;
    AffinityMask before;
    AffinityMask mask;
    if (none.blocked() && move.begun() && !detail::has_real_time_policy() && before.read() &&
        before.has(cpu) && before.count() > 1) {
      mask = before;
      narrow(mask, cpu, where);
      moved = mask.apply();
      if (moved && !mask.read()) {
        before.apply();  // the mask is unknown: it may have been set by others
      } else if (moved && !is_narrowed(mask, before, cpu, where)) {
        note_missing(Missing::kChangedAffinity, 0);
      } else if (moved && (!kAllCpus.apply() || !mask.read() || !(mask == before))) {
        before.apply();
      }
    }
  }
  errno = saved;
  return moved;
}

}  // namespace

bool move_to(unsigned cpu) { return move(cpu, Allowed::kOneCpu); }

bool leave_cpu(unsigned cpu) { return move(cpu, Allowed::kAllOthers); }

void end_moves() {
  std::uint32_t moves = g_moves.fetch_or(kEnded, std::memory_order_acquire) | kEnded;
  while (moves != kEnded) {
    futex_wait(g_moves, moves, /*limited=*/true);
    moves = g_moves.load(std::memory_order_acquire);
  }
}

void moves_after_fork_in_child() { g_moves.fetch_and(kEnded, std::memory_order_relaxed); }

}  // namespace muster
