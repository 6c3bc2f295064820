// The table of the serial OpenMP: entry points and their functions.
#include "preload/serial/functions.h"

#include <atomic>
#include <cstring>

#include "options/settings.h"
#include "preload/entry.h"
#include "preload/message.h"
#include "preload/serial/serial.h"

namespace muster {
namespace {

using namespace serial;

// Called as functions of any type: a caller that expects no result ignores it. They return what the stubs in the
// OpenMP specification return.
long zero() { return 0; }
long one() { return 1; }
long minus_one() { return -1; }
long minus_two() { return -2; }
long ancestor(int level) { return level == 0 ? 0 : -1; }
long size_at(int level) { return level == 0 ? 1 : -1; }
long is_zero(abi::Ident*, abi::GlobalThread, std::int32_t number) { return number == 0 ? 1 : 0; }
void* pass_on(abi::Ident*, abi::GlobalThread, void* data) { return data; }

struct Row {
  const char* names;  // * stands for any letters
  AnyFunction function;
};

#define MUSTER_ROW(names, function) {names, reinterpret_cast<AnyFunction>(function)}
#define MUSTER_KMPC_LOOP(suffix, type)                                                     \
  MUSTER_ROW("__kmpc_for_static_init_" suffix, KmpcLoop<type>::static_init),               \
      MUSTER_ROW("__kmpc_dist_for_static_init_" suffix, KmpcLoop<type>::dist_static_init), \
      MUSTER_ROW("__kmpc_team_static_init_" suffix, KmpcLoop<type>::team_static_init),     \
      MUSTER_ROW("__kmpc_dispatch_init_" suffix, KmpcLoop<type>::dispatch_init),           \
      MUSTER_ROW("__kmpc_dist_dispatch_init_" suffix, KmpcLoop<type>::dist_dispatch_init), \
      MUSTER_ROW("__kmpc_dispatch_next_" suffix, KmpcLoop<type>::dispatch_next)

// The first row that matches is used. A name that matches none does nothing and returns zero: barriers, flushes, ends
// of constructs, setters, cancellation.
const Row kRows[] = {
    MUSTER_ROW("__kmpc_fork_call", kmpc_fork),
    MUSTER_ROW("__kmpc_fork_teams", kmpc_fork),
    MUSTER_ROW("__kmpc_fork_call_if", kmpc_fork_if),
    MUSTER_ROW("__kmpc_serialized_parallel", open_region),
    MUSTER_ROW("__kmpc_end_serialized_parallel", close_region),
    MUSTER_KMPC_LOOP("4", std::int32_t),
    MUSTER_KMPC_LOOP("4u", std::uint32_t),
    MUSTER_KMPC_LOOP("8", std::int64_t),
    MUSTER_KMPC_LOOP("8u", std::uint64_t),
    MUSTER_ROW("__kmpc_sections_init", kmpc_sections_init),
    MUSTER_ROW("__kmpc_next_section", kmpc_next_section),
    MUSTER_ROW("__kmpc_single", one),
    MUSTER_ROW("__kmpc_master", one),
    MUSTER_ROW("__kmpc_masked", is_zero),
    MUSTER_ROW("__kmpc_barrier_master*", one),
    MUSTER_ROW("__kmpc_reduce*", one),
    MUSTER_ROW("__kmpc_copyprivate_light", pass_on),
    MUSTER_ROW("__kmpc_*_num_threads", one),
    MUSTER_ROW("__kmpc_omp_task_alloc", kmpc_task_alloc),
    MUSTER_ROW("__kmpc_omp_target_task_alloc", kmpc_task_alloc),
    MUSTER_ROW("__kmpc_omp_task", kmpc_task),
    MUSTER_ROW("__kmpc_omp_task_parts", kmpc_task),
    MUSTER_ROW("__kmpc_omp_task_with_deps", kmpc_task),
    MUSTER_ROW("__kmpc_omp_task_begin_if0", kmpc_task_begin_if0),
    MUSTER_ROW("__kmpc_omp_task_complete_if0", kmpc_task_complete_if0),
    MUSTER_ROW("__kmpc_omp_taskwait*", wait_for_events),
    MUSTER_ROW("__kmpc_omp_wait_deps", wait_for_events),
    MUSTER_ROW("__kmpc_end_taskgroup", wait_for_events),
    MUSTER_ROW("__kmpc_barrier", wait_for_events),
    MUSTER_ROW("__kmpc_taskloop", kmpc_taskloop),
    MUSTER_ROW("__kmpc_taskloop_5", kmpc_taskloop_5),
    MUSTER_ROW("__kmpc_task_allow_completion_event", kmpc_completion_event),
    MUSTER_ROW("__kmpc_task_reduction_get_th_data", kmpc_reduction_data),
    MUSTER_ROW("__kmpc_threadprivate_register", threadprivate_register),
    MUSTER_ROW("__kmpc_threadprivate_register_vec", threadprivate_register_vector),
    MUSTER_ROW("__kmpc_threadprivate*", threadprivate),
    MUSTER_ROW("__kmpc_error", kmpc_error),

    MUSTER_ROW("GOMP_parallel", gomp_parallel),
    MUSTER_ROW("GOMP_teams_reg", gomp_parallel),
    MUSTER_ROW("GOMP_parallel_reductions", gomp_parallel_reductions),
    MUSTER_ROW("GOMP_parallel_start", open_region),
    MUSTER_ROW("GOMP_parallel_sections_start", gomp_parallel_sections_start),
    MUSTER_ROW("GOMP_parallel_loop_*_start", gomp_parallel_loop_start),
    MUSTER_ROW("GOMP_parallel_end", close_region),
    MUSTER_ROW("GOMP_parallel_sections", gomp_parallel_sections),
    MUSTER_ROW("GOMP_parallel_loop_*", gomp_parallel_loop),
    MUSTER_ROW("GOMP_loop_end*", construct_end),
    MUSTER_ROW("GOMP_loop_*next", loop_next),
    MUSTER_ROW("GOMP_loop_start", loop_general_start),
    MUSTER_ROW("GOMP_loop_ordered_start", loop_general_start),
    MUSTER_ROW("GOMP_loop_ull_start", ull_general_start),
    MUSTER_ROW("GOMP_loop_ull_ordered_start", ull_general_start),
    MUSTER_ROW("GOMP_loop_doacross_start", doacross_general_start),
    MUSTER_ROW("GOMP_loop_ull_doacross_start", doacross_general_start),
    MUSTER_ROW("GOMP_loop_*doacross_runtime_start", doacross_runtime_start),
    MUSTER_ROW("GOMP_loop_*doacross_*_start", doacross_start),
    MUSTER_ROW("GOMP_loop_ull_*runtime_start", ull_runtime_start),
    MUSTER_ROW("GOMP_loop_ull_*_start", ull_start),
    MUSTER_ROW("GOMP_loop_*runtime_start", loop_runtime_start),
    MUSTER_ROW("GOMP_loop_*_start", loop_start),
    MUSTER_ROW("GOMP_sections_start", sections_start),
    MUSTER_ROW("GOMP_sections2_start", sections2_start),
    MUSTER_ROW("GOMP_sections_next", sections_next),
    MUSTER_ROW("GOMP_sections_end*", construct_end),
    MUSTER_ROW("GOMP_scope_start", scope_start),
    MUSTER_ROW("GOMP_single_start", one),
    MUSTER_ROW("GOMP_task", gomp_task),
    MUSTER_ROW("GOMP_taskloop", gomp_taskloop),
    MUSTER_ROW("GOMP_taskloop_ull", gomp_taskloop_ull),
    MUSTER_ROW("GOMP_taskwait*", wait_for_events),
    MUSTER_ROW("GOMP_taskgroup_end", wait_for_events),
    MUSTER_ROW("GOMP_barrier", wait_for_events),
    MUSTER_ROW("GOMP_taskgroup_reduction_register", reduction_register),
    MUSTER_ROW("GOMP_taskgroup_reduction_unregister", reduction_unregister),
    MUSTER_ROW("GOMP_workshare_task_reduction_unregister", workshare_reduction_unregister),
    MUSTER_ROW("GOMP_task_reduction_remap", reduction_remap),
    MUSTER_ROW("GOMP_target", gomp_target),
    MUSTER_ROW("GOMP_target_ext", gomp_target_ext),
    MUSTER_ROW("GOMP_teams4", gomp_teams4),

    MUSTER_ROW("omp_fulfill_event", fulfill_event),
    MUSTER_ROW("omp_fulfill_event_", fulfill_event_by_reference),
    MUSTER_ROW("omp_get_num_threads*", one),
    MUSTER_ROW("omp_get_max_threads*", one),
    MUSTER_ROW("omp_get_num_teams*", one),
    MUSTER_ROW("omp_in_final*", one),
    MUSTER_ROW("omp_get_ancestor_thread_num", ancestor),
    MUSTER_ROW("omp_get_team_size", size_at),
    MUSTER_ROW("omp_get_place_num*", minus_one),
    MUSTER_ROW("omp_pause_resource*", minus_one),
    MUSTER_ROW("omp_target_memcpy*", one),       // failed
    MUSTER_ROW("omp_test_nest_lock*", one),      // acquired, nesting count 1
    MUSTER_ROW("omp_control_tool*", minus_two),  // no tool
};

bool matches(const char* names, const char* name) {
  for (; *names != '\0' && *names != '*'; ++names, ++name) {
    if (*names != *name) return false;
  }
  if (*names == '\0') return *name == '\0';
  for (;; ++name) {
    if (matches(names + 1, name)) return true;
    if (*name == '\0') return false;
  }
}

void print_once(const char* name) {
  static std::atomic<bool> printed{false};
  if (!g_ready.load(std::memory_order_acquire) || !settings().verbose) return;
  if (!printed.exchange(true))
    message("no OpenMP runtime has %s: it is executed serially, as all others that none has", name);
}

}  // namespace

AnyFunction serial_function(const char* name) {
  print_once(name);
  for (const Row& row : kRows) {
    if (matches(row.names, name)) return row.function;
  }
  return reinterpret_cast<AnyFunction>(zero);
}

}  // namespace muster
