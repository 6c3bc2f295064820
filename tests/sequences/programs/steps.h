// All steps, by name. The same list is in plan.py, which knows where each is allowed.
#pragma once

#include "serial.h"

namespace sequences {

#ifdef WITHOUT_TARGETS
#define SEQUENCES_TARGET_STEPS(STEP)
#else
#define SEQUENCES_TARGET_STEPS(STEP) \
  STEP(detached) STEP(target) STEP(target_nowait) STEP(target_region) STEP(target_nowait_region)
#endif
// clang-format off
#define SEQUENCES_STEPS(STEP) \
  STEP(region) STEP(other_size) STEP(inactive) STEP(inactive_barrier) STEP(serialized) STEP(bound) STEP(loop) \
  STEP(loop_dynamic) STEP(loop_runtime) STEP(sections) STEP(copying) STEP(initializing) STEP(nested) STEP(league) STEP(task) STEP(task_if0) \
  STEP(task_final) STEP(task_untied) STEP(task_depend) STEP(task_region) STEP(task_if0_region) STEP(taskloop) \
  STEP(taskwait) STEP(taskgroup) STEP(set_threads) STEP(set_dynamic) STEP(set_schedule) STEP(set_levels) STEP(lock) \
  STEP(nest_lock) STEP(orphaned_loop) STEP(orphaned_blocks) STEP(forks) STEP(forks_region) STEP(handler) STEP(module) \
  STEP(thread) STEP(exception) STEP(worksharing) STEP(task_reduction) STEP(threadprivate) STEP(rounding) STEP(pins) \
  STEP(other_stack) STEP(leaves) STEP(exits) SEQUENCES_TARGET_STEPS(STEP)
// clang-format on

using Step = void (*)(Actor&);

// What the program knows by name: single steps, or whole sequences.
struct Entry {
  const char* name;
  Step run;
};
extern const Entry* const entries;
extern const int entry_count;

}  // namespace sequences
