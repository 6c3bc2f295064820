#include "runtime-hooks/runtimes/loop_rules.h"

#include <cstdlib>

namespace muster {
namespace {

// Debug builds, as Debian's, print calls at KMP_D_DEBUG=100 and KMP_E_DEBUG=10. The last one selects what an ITT
// collector in the default place is given.
constexpr const char* kVariables[] = {"KMP_SCHEDULE", "KMP_DEBUG", "KMP_D_DEBUG", "KMP_E_DEBUG",
                                      "INTEL_ITTNOTIFY_GROUPS"};

template <class... Functions>
bool all_within(const LoadedObject& object, Functions... functions) {
  return (object.contains(reinterpret_cast<const void*>(functions)) && ...);
}

}  // namespace

bool loops_are_arithmetic(const Runtime& runtime) {
  for (const char* variable : kVariables) {
    if (std::getenv(variable) != nullptr) return false;
  }
  const RealFunctions& real = runtime.real;
#define MUSTER_ADDRESS(result, name, parameters) , real.name
  return all_within(runtime.object, real.__kmpc_global_thread_num, real.__kmpc_bound_num_threads,
                    real.omp_get_thread_num, real.omp_get_level, real.omp_get_num_teams,
                    real.omp_get_team_num MUSTER_KMPC_LOOP_FUNCTIONS(MUSTER_ADDRESS));
#undef MUSTER_ADDRESS
}

}  // namespace muster
