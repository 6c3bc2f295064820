// What a call of an entry point does to the calling thread's fold.
#pragma once

#include <cstdint>

#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/fold_state.h"

namespace muster {

// What calling an entry point does to the fold.
enum class Effect : std::uint8_t {
  kCloses,        // the runtime must be in a serial part
  kSets,          // changes a setting that later regions inherit
  kPushes,        // sets a clause for the thread's next region that is not folded
  kClosesByTask,  // as kCloses, for a runtime where it depends on the calling task: libgomp
  kCreatesTasks,  // as kCloses, but counts in any thread
  kSetsDefaults,  // as kSets, but counts in any thread: how loops are shared
  kPauses,        // as kSets, but counts in any thread: whether it has a pool of threads
  kDisplays,      // as kCloses, but counts in any thread: shows what Muster has set in the runtime
};

// The states of the threads whose calls have that effect, as the bits that a thunk tests. In an inactive region every
// effect makes the region real, and so do Muster's own entry points.
inline constexpr auto kInactiveState = static_cast<std::uint8_t>(FoldState::kInactiveRegion);
constexpr std::uint8_t states_with(Effect effect) {
  constexpr auto kSerial = static_cast<std::uint8_t>(FoldState::kSerialPart) | kInactiveState;
  constexpr auto kFolded = static_cast<std::uint8_t>(FoldState::kFoldedRegion);
  switch (effect) {
    case Effect::kCloses:
    case Effect::kClosesByTask:
      return kSerial;
    case Effect::kSets:
      return kSerial | kFolded;
    case Effect::kSetsDefaults:
    case Effect::kPauses:
    case Effect::kPushes:
    case Effect::kCreatesTasks:
    case Effect::kDisplays:
      return 0xFF;
  }
  return 0xFF;
}

// Called before the real entry point `symbol`, by a thread in one of states_with() its effect. `symbol` is a
// literal. Not to be called for a runtime other than the fold's.
void apply_effect(const char* symbol, Effect effect, const void* caller);

// Whether a function belongs to another runtime than the fold in whose region or serial part the calling thread is.
// False in all other threads.
bool is_of_another_runtime(const void* function);

// As a call of `symbol` with Effect::kCloses, for an entry point of Muster's.
void close_fold_before(const char* symbol, const void* caller);

// In the serial part of an open fold, or in an inactive region: whether `symbol` is an
// explicit barrier, and has nothing to wait for, since the program has no tasks, which a
// runtime may finish there. OpenMP 5.2, 15.3.1: a barrier concerns the threads of the
// current team, and that is this thread alone. So the fold may stay open.
bool is_barrier_of_one(const char* symbol, const void* caller);

// In an inactive region: a call of an entry point that Muster implements. The runtime begins the region.
void make_region_real(const char* symbol, const void* caller);

// The result of omp_get_max_threads(), for the primary thread of an open fold outside of folded regions.
int serial_max_threads();

}  // namespace muster
