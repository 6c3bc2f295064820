#include "preload/thunks/serial_answers.h"

#include <cstdint>

#include "runtime-hooks/folding/call_effects.h"

namespace muster {
namespace {

// For each name the C form, the Fortran form (with an underscore) and, if there is one, the form for C code that is
// called by Fortran (ompc_).

int omp_get_num_threads() { return 1; }
int omp_get_thread_num() { return 0; }
int omp_in_parallel() { return 0; }
int omp_get_level() { return in_inactive_region() ? 1 : 0; }
int omp_get_active_level() { return 0; }
int omp_get_max_threads() {
  return in_serial_part() || in_inactive_region() ? serial_max_threads() : 1;
}
bool is_around(long level) { return level >= 0 && level <= omp_get_level(); }
int omp_get_ancestor_thread_num(int level) { return is_around(level) ? 0 : -1; }
int omp_get_team_size(int level) { return is_around(level) ? 1 : -1; }

constexpr auto omp_get_num_threads_ = omp_get_num_threads;
constexpr auto omp_get_thread_num_ = omp_get_thread_num;
constexpr auto omp_in_parallel_ = omp_in_parallel;
constexpr auto omp_get_level_ = omp_get_level;
constexpr auto omp_get_active_level_ = omp_get_active_level;
constexpr auto omp_get_max_threads_ = omp_get_max_threads;
int omp_get_ancestor_thread_num_(const int* level) { return omp_get_ancestor_thread_num(*level); }
int omp_get_team_size_(const int* level) { return omp_get_team_size(*level); }
// libgomp's, for Fortran code whose integers are 8 bytes long.
int omp_get_ancestor_thread_num_8_(const std::int64_t* level) { return is_around(*level) ? 0 : -1; }
int omp_get_team_size_8_(const std::int64_t* level) { return is_around(*level) ? 1 : -1; }
constexpr auto ompc_get_ancestor_thread_num = omp_get_ancestor_thread_num;
constexpr auto ompc_get_team_size = omp_get_team_size;

}  // namespace

#define MUSTER_IMPLEMENTED(name) nullptr,
#define MUSTER_THUNK(name, effect) nullptr,
#define MUSTER_ANSWERED(name) reinterpret_cast<AnyFunction>(+name),
const AnyFunction kSerialAnswers[] = {
#include "thunk_names.inc"
};
#undef MUSTER_IMPLEMENTED
#undef MUSTER_ANSWERED
#undef MUSTER_THUNK

}  // namespace muster
