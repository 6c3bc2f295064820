#include "runtime-hooks/runtimes/why_not_replaced.h"

#include <strings.h>

#include <cstdlib>
#include <cstring>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

const char* set_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

// The runtimes define ompt_start_tool themselves, weakly, to look for one: a definition anywhere
// else is a tool, linked in or preloaded.
bool has_ompt_tool() {
  const char* use = set_value("OMP_TOOL");
  if (use != nullptr && strcasecmp(use, "disabled") == 0) return false;
  if (set_value("OMP_TOOL_LIBRARIES") != nullptr) return true;
  const auto is_runtime = [](const LoadedObject& object) {
    return defined_by(object, "__kmpc_fork_call") != nullptr;
  };
  const void* start = global_definition("ompt_start_tool", is_runtime);
  return start != nullptr && !is_runtime(object_of(start));
}

bool checks_consistency() {
  const char* check = set_value("KMP_CONSISTENCY_CHECK");
  return check != nullptr && strcasecmp(check, "none") != 0;
}

bool has_itt_collector() {
  return set_value("INTEL_LIBITTNOTIFY64") != nullptr ||
         set_value("INTEL_LIBITTNOTIFY32") != nullptr;
}

// What Muster cannot do without. A libgomp that lacks omp_get_cancellation knows no cancellation.
bool has_what_it_takes(const Runtime& runtime) {
  const RealFunctions& real = runtime.real;
  return has_all(real.omp_get_num_threads, real.omp_get_thread_num, real.GOMP_barrier) &&
         (runtime.kind == RuntimeKind::kLibgomp ||
          has_all(real.__kmpc_barrier, real.omp_get_cancellation));
}

// Settings and tools of libomp's alone.
bool is_watched(const Runtime& runtime, PassReason& reason) {
  if (runtime.kind == RuntimeKind::kLibgomp) return false;
  reason = PassReason::kTool;
  if (has_ompt_tool()) return true;
  reason = PassReason::kConsistencyCheck;
  if (checks_consistency()) return true;
  reason = PassReason::kItt;
  return has_itt_collector();
}

}  // namespace

bool why_not_replaced(const Runtime& runtime, PassReason& reason) {
  const RealFunctions& real = runtime.real;
  if (!runtimes_switched_on()) {
    reason = PassReason::kOff;
  } else if (!threads_know_their_region()) {
    reason = PassReason::kNoKey;
  } else if (is_watched(runtime, reason)) {
    return true;
  } else if (global_definition("__tsan_init") != nullptr) {
    reason = PassReason::kThreadSanitizer;
  } else if (!has_what_it_takes(runtime)) {
    reason = PassReason::kUnknownFrame;
  } else if (real.omp_get_cancellation != nullptr && real.omp_get_cancellation() != 0) {
    reason = PassReason::kCancellation;
  } else {
    return false;
  }
  return true;
}

}  // namespace muster
