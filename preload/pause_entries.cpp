// The end of a runtime's threads, until the next region. A program that pauses libgomp before it forks has threads in the
// child (teams/lost_threads.h).
#include "preload/entry.h"
#include "runtime-hooks/teams/lost_threads.h"

namespace muster {
namespace {

template <class Function, class... Arguments>
int pause(const char* symbol, const void* caller, Function real, Arguments... arguments) {
  constexpr int kNothingPaused = -1;
  const Runtime& runtime = runtime_of(caller, symbol);
  const Function function = required(real, symbol);
  if (!is_of_another_runtime(reinterpret_cast<const void*>(function))) {
    apply_effect(symbol, Effect::kSets, caller);
  }
  if (g_threads_are_lost && runtime.replaced && would_use_lost_pool(runtime))
    return kNothingPaused;  // it would wait for them
  const int result = function(arguments...);
  if (result == 0) forget_pool(runtime);
  return result;
}

}  // namespace
}  // namespace muster

using namespace muster;

#define MUSTER_PAUSE(result, name, parameters, ...)                                              \
  MUSTER_ENTRY result name parameters {                                                          \
    ensure_ready();                                                                              \
    return pause(#name, MUSTER_CALLER, runtime_of(MUSTER_CALLER, #name).real.name, __VA_ARGS__); \
  }
MUSTER_PAUSE(int, omp_pause_resource, (int kind, int device), kind, device)
MUSTER_PAUSE(int, omp_pause_resource_, (const int* kind, const int* device), kind, device)
MUSTER_PAUSE(int, omp_pause_resource_all, (int kind), kind)
MUSTER_PAUSE(int, omp_pause_resource_all_, (const int* kind), kind)
