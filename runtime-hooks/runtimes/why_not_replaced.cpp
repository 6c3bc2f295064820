#include "runtime-hooks/runtimes/why_not_replaced.h"

#include <strings.h>

#include <cstdlib>
#include <cstring>

#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/ompt_tool.h"

namespace muster {
namespace {

const char* set_value(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

// The runtimes define ompt_start_tool themselves, weakly. A definition in any other object is a tool, linked in or
// preloaded.
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

// The functions that Muster needs. A libgomp without omp_get_cancellation has no cancellation.
bool has_needed_functions(const Runtime& runtime) {
  const RealFunctions& real = runtime.real;
  return has_all(real.omp_get_num_threads, real.omp_get_thread_num, real.GOMP_barrier) &&
         (runtime.kind == RuntimeKind::kLibgomp ||
          has_all(real.__kmpc_barrier, real.omp_get_cancellation));
}

// Settings and collectors that only libomp has.
PassReason why_checked(bool is_libgomp) {
  if (!is_libgomp && checks_consistency()) return PassReason::kConsistencyCheck;
  if (!is_libgomp && has_itt_collector()) return PassReason::kItt;
  const bool sanitizes = global_definition("__tsan_init") != nullptr;
  return sanitizes ? PassReason::kThreadSanitizer : PassReason::kNone;
}

// The tool's own start is left to the runtime: here it is only seen.
PassReason why_observed(const Runtime& runtime, bool& observed) {
  if (runtime.kind == RuntimeKind::kLibgomp || !has_ompt_tool()) return PassReason::kNone;
  const ToolStart start = start_tool_of(runtime.object, runtime.real.omp_get_cancellation);
  observed = start == ToolStart::kObserves;
  return start == ToolStart::kNotServed ? PassReason::kTool : PassReason::kNone;
}

}  // namespace

PassReason why_not_replaced(const Runtime& runtime, bool& observed) {
  const RealFunctions& real = runtime.real;
  if (!runtimes_switched_on()) return PassReason::kOff;
  if (!threads_know_their_region()) return PassReason::kNoKey;
  if (const PassReason why = why_checked(runtime.kind == RuntimeKind::kLibgomp);
      why != PassReason::kNone)
    return why;
  if (!has_needed_functions(runtime)) return PassReason::kUnknownFrame;
  if (const PassReason why = why_observed(runtime, observed); why != PassReason::kNone) return why;
  const bool cancels = real.omp_get_cancellation != nullptr && real.omp_get_cancellation() != 0;
  return cancels ? PassReason::kCancellation : PassReason::kNone;
}

void expect_tool(void (*dlsym_thunk)()) {
  if (!has_ompt_tool() || why_checked(/*is_libgomp=*/false) != PassReason::kNone) return;
  LoadedObject runtime;
  const auto is_libomp = [](const LoadedObject& object, void*) {
    return is_whole_runtime(object) && defined_by(object, "__kmpc_fork_call") != nullptr;
  };
  find_object(is_libomp, nullptr, runtime);
  if (runtime.found()) expect_tool_of(runtime, dlsym_thunk);
}

}  // namespace muster
