// What the system refused to Muster in this process, for the report: because of a seccomp filter, an old kernel, or a
// /proc that is not mounted. ECANCELED: not asked for, because a filter would end the process. Muster continues without it; nothing here fails.
//
// Noted by the code that was refused, on a slow path: two relaxed updates of a line that no thread polls. Never
// reset: one refusal is worth a line in the report.
#pragma once

#include <atomic>
#include <cstdint>

namespace muster {

enum class Missing : unsigned {
  kFutex,            // the sleep or the wake of platform/futex.h
  kMembarrier,       // the asymmetric fences of platform/fences.h
  kSlice,            // sched_setattr or sched_getattr; error 0: the kernel has no such slices
  kSetAffinity,      // sched_setaffinity
  kGetAffinity,      // sched_getaffinity
  kCurrentCpu,       // getcpu
  kIdleTime,         // /proc/stat; error 0: its format is unknown
  kChangedAffinity,  // error 0: other code set the mask of a thread that Muster had placed
  // The page of turns: shmget, shmat; EPERM: not this user's own, ENOSPC: full, 0: another version, EOPNOTSUPP: one of
  // several ranks of an MPI job.
  kSharedPage,
  kOtherCalls,  // of platform/optional_calls.h
  kFilter,      // error 0: the program has installed one
};
inline constexpr unsigned kMissingKinds = 11;

// What is missing and the effect of that, in the order of Missing.
struct MissingName {
  const char* what;
  const char* effect;
};
inline constexpr MissingName kMissingNames[kMissingKinds] = {
    {"futex", "threads poll instead of sleeping"},
    {"membarrier", "releases pay a full fence"},
    {"sched_setattr slice", "no short slices under contention"},
    {"sched_setaffinity", "no thread is moved"},
    {"sched_getaffinity", "no thread is moved, allowed CPUs are guessed"},
    {"getcpu", "no thread sleeps for a teammate on its own CPU"},
    {"/proc/stat", "idle CPUs unknown, teams are not gathered"},
    {"own affinity", "other code changed it; it stays so"},
    {"shared page", "no turns with other processes"},
    {"other system calls", "what needs them is left out"},
    {"system calls after a filter", "the program installed one: nothing optional is asked for"},
};

namespace detail {
struct Refusal {
  std::atomic<int> error{0};
  std::atomic<std::uint64_t> times{0};
};
inline constinit Refusal g_refusals[kMissingKinds];
}  // namespace detail

// `error` is the errno of the refusal; the first one is kept.
inline void note_missing(Missing what, int error) {
  detail::Refusal& refusal = detail::g_refusals[static_cast<unsigned>(what)];
  if (refusal.times.fetch_add(1, std::memory_order_relaxed) == 0) {
    refusal.error.store(error, std::memory_order_relaxed);
  }
}

// How often it was refused; 0 = never.
inline std::uint64_t times_missing(Missing what) {
  return detail::g_refusals[static_cast<unsigned>(what)].times.load(std::memory_order_relaxed);
}
inline int missing_error(Missing what) {
  return detail::g_refusals[static_cast<unsigned>(what)].error.load(std::memory_order_relaxed);
}

// "EPERM"; null for 0 and for errors without a name here.
const char* error_name(int error);

// Tries once each request that Muster may make later, so that refusals are noted now: for `muster doctor`. Has no
// lasting effect. Does not cover kChangedAffinity.
void try_everything();

}  // namespace muster
