// The entry points of the OpenMP runtimes that Muster interposes or calls, with their types. Each runtime has a table
// of the real addresses, made from this list (runtime.h). Sources: the interfaces of LLVM's libomp 14 to 21 (kmp.h,
// kmp_gsupport.cpp) and of libgomp 9 to 15 (libgomp_g.h); a name that a runtime lacks is null. GOMP_barrier takes
// nothing in all of these; a later libgomp's may take an int, which is handed on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime-hooks/runtimes/abi.h"

// X(result, name, (parameters)), grouped as the files of preload/ are.
#define MUSTER_QUERY_FUNCTIONS(X)                 \
  X(int, omp_get_num_threads, ())                 \
  X(int, __kmpc_bound_num_threads, (abi::Ident*)) \
  X(int, omp_get_thread_num, ())                  \
  X(int, omp_get_cancellation, ())                \
  X(int, omp_get_max_threads, ())                 \
  X(void, omp_set_num_threads, (int))             \
  X(int, omp_get_dynamic, ())                     \
  X(int, omp_get_level, ())                       \
  X(int, omp_get_num_teams, ())                   \
  X(int, omp_get_team_num, ())                    \
  X(int, omp_in_explicit_task, ())                \
  X(std::uint64_t, __kmpc_get_taskid, ())         \
  X(std::uint64_t, __kmpc_get_parent_taskid, ())  \
  X(int, omp_get_proc_bind, ())                   \
  X(int, omp_get_num_places, ())                  \
  X(int, omp_get_place_num_procs, (int))          \
  X(void, omp_get_place_proc_ids, (int, int*))

#define MUSTER_BARRIER_FUNCTIONS(X)                                        \
  X(void, __kmpc_barrier, (abi::Ident*, abi::GlobalThread))                \
  X(std::int32_t, __kmpc_cancel_barrier, (abi::Ident*, abi::GlobalThread)) \
  X(void, GOMP_barrier, (int))                                             \
  X(bool, GOMP_barrier_cancel, ())                                         \
  X(void, GOMP_loop_end, ())                                               \
  X(bool, GOMP_loop_end_cancel, ())                                        \
  X(void, GOMP_loop_end_nowait, ())                                        \
  X(void, GOMP_sections_end, ())                                           \
  X(bool, GOMP_sections_end_cancel, ())                                    \
  X(void, GOMP_sections_end_nowait, ())                                    \
  X(void, GOMP_workshare_task_reduction_unregister, (bool))

#define MUSTER_KMPC_FORK_FUNCTIONS(X)                                                            \
  X(void, __kmpc_fork_call, (abi::Ident*, std::int32_t, abi::Microtask, ...))                    \
  X(void, __kmpc_fork_call_if, (abi::Ident*, std::int32_t, abi::Microtask, std::int32_t, void*)) \
  X(void, __kmpc_push_num_threads, (abi::Ident*, abi::GlobalThread, std::int32_t))               \
  X(abi::GlobalThread, __kmpc_global_thread_num, (abi::Ident*))                                  \
  X(void, __kmpc_fork_teams, (abi::Ident*, std::int32_t, abi::Microtask, ...))                   \
  X(void, __kmpc_serialized_parallel, (abi::Ident*, abi::GlobalThread))                          \
  X(void, __kmpc_end_serialized_parallel, (abi::Ident*, abi::GlobalThread))

// Loops with a static schedule: bounds and stride are the loop's before the call, those of the thread's share after it.
#define MUSTER_KMPC_STATIC_LOOP(X, name, T, Signed)                                        \
  X(void, name,                                                                            \
    (abi::Ident*, abi::GlobalThread, std::int32_t, std::int32_t*, T*, T*, Signed*, Signed, \
     Signed))
#define MUSTER_KMPC_LEAGUE_LOOP(X, name, T, Signed)                                            \
  X(void, name,                                                                                \
    (abi::Ident*, abi::GlobalThread, std::int32_t, std::int32_t*, T*, T*, T*, Signed*, Signed, \
     Signed))
#define MUSTER_KMPC_LOOP_FUNCTIONS(X)                                                     \
  MUSTER_KMPC_STATIC_LOOP(X, __kmpc_for_static_init_4, std::int32_t, std::int32_t)        \
  MUSTER_KMPC_STATIC_LOOP(X, __kmpc_for_static_init_4u, std::uint32_t, std::int32_t)      \
  MUSTER_KMPC_STATIC_LOOP(X, __kmpc_for_static_init_8, std::int64_t, std::int64_t)        \
  MUSTER_KMPC_STATIC_LOOP(X, __kmpc_for_static_init_8u, std::uint64_t, std::int64_t)      \
  MUSTER_KMPC_LEAGUE_LOOP(X, __kmpc_dist_for_static_init_4, std::int32_t, std::int32_t)   \
  MUSTER_KMPC_LEAGUE_LOOP(X, __kmpc_dist_for_static_init_4u, std::uint32_t, std::int32_t) \
  MUSTER_KMPC_LEAGUE_LOOP(X, __kmpc_dist_for_static_init_8, std::int64_t, std::int64_t)   \
  MUSTER_KMPC_LEAGUE_LOOP(X, __kmpc_dist_for_static_init_8u, std::uint64_t, std::int64_t)

#define MUSTER_GOMP_LOOP(X, name) \
  X(void, name, (abi::GompRegion, void*, unsigned, long, long, long, long, unsigned))
#define MUSTER_GOMP_RUNTIME_LOOP(X, name) \
  X(void, name, (abi::GompRegion, void*, unsigned, long, long, long, unsigned))
#define MUSTER_GOMP_LOOP_START(X, name) \
  X(void, name, (abi::GompRegion, void*, unsigned, long, long, long, long))

#define MUSTER_GOMP_PARALLEL_LOOPS(X)                          \
  MUSTER_GOMP_LOOP(X, GOMP_parallel_loop_static)               \
  MUSTER_GOMP_LOOP(X, GOMP_parallel_loop_dynamic)              \
  MUSTER_GOMP_LOOP(X, GOMP_parallel_loop_guided)               \
  MUSTER_GOMP_LOOP(X, GOMP_parallel_loop_nonmonotonic_dynamic) \
  MUSTER_GOMP_LOOP(X, GOMP_parallel_loop_nonmonotonic_guided)

#define MUSTER_GOMP_PARALLEL_RUNTIME_LOOPS(X)                          \
  MUSTER_GOMP_RUNTIME_LOOP(X, GOMP_parallel_loop_runtime)              \
  MUSTER_GOMP_RUNTIME_LOOP(X, GOMP_parallel_loop_nonmonotonic_runtime) \
  MUSTER_GOMP_RUNTIME_LOOP(X, GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define MUSTER_GOMP_PARALLEL_LOOP_STARTS(X)                   \
  MUSTER_GOMP_LOOP_START(X, GOMP_parallel_loop_static_start)  \
  MUSTER_GOMP_LOOP_START(X, GOMP_parallel_loop_dynamic_start) \
  MUSTER_GOMP_LOOP_START(X, GOMP_parallel_loop_guided_start)

// What starts the same loops inside a region, and what gives a thread its next share of one.
#define MUSTER_GOMP_CHUNKED_START(X, name) X(bool, name, (long, long, long, long, long*, long*))
#define MUSTER_GOMP_RUNTIME_START(X, name) X(bool, name, (long, long, long, long*, long*))
#define MUSTER_GOMP_WORKSHARING_STARTS(X)                                  \
  MUSTER_GOMP_CHUNKED_START(X, GOMP_loop_static_start)                     \
  MUSTER_GOMP_CHUNKED_START(X, GOMP_loop_dynamic_start)                    \
  MUSTER_GOMP_CHUNKED_START(X, GOMP_loop_guided_start)                     \
  MUSTER_GOMP_CHUNKED_START(X, GOMP_loop_nonmonotonic_dynamic_start)       \
  MUSTER_GOMP_CHUNKED_START(X, GOMP_loop_nonmonotonic_guided_start)        \
  MUSTER_GOMP_RUNTIME_START(X, GOMP_loop_runtime_start)                    \
  MUSTER_GOMP_RUNTIME_START(X, GOMP_loop_nonmonotonic_runtime_start)       \
  MUSTER_GOMP_RUNTIME_START(X, GOMP_loop_maybe_nonmonotonic_runtime_start) \
  X(unsigned, GOMP_sections_start, (unsigned))

#define MUSTER_GOMP_LOOP_NEXTS(X)                              \
  X(bool, GOMP_loop_static_next, (long*, long*))               \
  X(bool, GOMP_loop_dynamic_next, (long*, long*))              \
  X(bool, GOMP_loop_guided_next, (long*, long*))               \
  X(bool, GOMP_loop_nonmonotonic_dynamic_next, (long*, long*)) \
  X(bool, GOMP_loop_nonmonotonic_guided_next, (long*, long*))  \
  X(bool, GOMP_loop_runtime_next, (long*, long*))              \
  X(bool, GOMP_loop_nonmonotonic_runtime_next, (long*, long*)) \
  X(bool, GOMP_loop_maybe_nonmonotonic_runtime_next, (long*, long*))

#define MUSTER_GOMP_WORKSHARING_FUNCTIONS(X) \
  MUSTER_GOMP_WORKSHARING_STARTS(X)          \
  MUSTER_GOMP_LOOP_NEXTS(X)                  \
  X(unsigned, GOMP_sections_next, ())

#define MUSTER_GOMP_PARALLEL_FUNCTIONS(X)                                                         \
  X(void, GOMP_parallel, (abi::GompRegion, void*, unsigned, unsigned))                            \
  X(void, GOMP_parallel_start, (abi::GompRegion, void*, unsigned))                                \
  X(void, GOMP_parallel_end, ())                                                                  \
  X(void, GOMP_parallel_sections, (abi::GompRegion, void*, unsigned, unsigned, unsigned))         \
  X(void, GOMP_parallel_sections_start, (abi::GompRegion, void*, unsigned, unsigned))             \
  X(unsigned, GOMP_parallel_reductions, (abi::GompRegion, void*, unsigned, unsigned))             \
  X(void, GOMP_parallel_loop_runtime_start, (abi::GompRegion, void*, unsigned, long, long, long)) \
  X(void, GOMP_teams_reg, (abi::GompRegion, void*, unsigned, unsigned, unsigned))                 \
  MUSTER_GOMP_PARALLEL_LOOPS(X)                                                                   \
  MUSTER_GOMP_PARALLEL_RUNTIME_LOOPS(X)                                                           \
  MUSTER_GOMP_PARALLEL_LOOP_STARTS(X)

// Functions that create tasks, which a barrier must finish. Tasks of the first kind are finished when the barrier is; a
// task of the second may be completed from outside the team, so the rest of the region uses the real barrier.
#define MUSTER_KMPC_TASK_FUNCTIONS(X)                                                           \
  X(abi::Task*, __kmpc_omp_task_alloc,                                                          \
    (abi::Ident*, abi::GlobalThread, abi::Flags32, std::size_t, std::size_t, void*))            \
  X(std::int32_t, __kmpc_omp_task, (abi::Ident*, abi::GlobalThread, abi::Task*))                \
  X(std::int32_t, __kmpc_omp_task_parts, (abi::Ident*, abi::GlobalThread, abi::Task*))          \
  X(std::int32_t, __kmpc_omp_task_with_deps,                                                    \
    (abi::Ident*, abi::GlobalThread, abi::Task*, std::int32_t, void*, std::int32_t, void*))     \
  X(void, __kmpc_omp_task_begin_if0, (abi::Ident*, abi::GlobalThread, abi::Task*))              \
  X(void, __kmpc_taskloop,                                                                      \
    (abi::Ident*, int, abi::Task*, int, std::uint64_t*, std::uint64_t*, std::int64_t, int, int, \
     std::uint64_t, void*))                                                                     \
  X(void, __kmpc_taskloop_5,                                                                    \
    (abi::Ident*, int, abi::Task*, int, std::uint64_t*, std::uint64_t*, std::int64_t, int, int, \
     std::uint64_t, int, void*))                                                                \
  X(void, __kmpc_omp_taskwait_deps_51,                                                          \
    (abi::Ident*, abi::GlobalThread, std::int32_t, void*, std::int32_t, void*, std::int32_t))   \
  X(void*, __kmpc_task_reduction_init, (int, int, void*))                                       \
  X(void*, __kmpc_taskred_init, (int, int, void*))                                              \
  X(void*, __kmpc_task_reduction_modifier_init, (abi::Ident*, int, int, int, void*))            \
  X(void*, __kmpc_taskred_modifier_init, (abi::Ident*, int, int, int, void*))                   \
  X(void, __kmpc_task_reduction_modifier_fini, (abi::Ident*, int, int))

#define MUSTER_KMPC_LASTING_TASK_FUNCTIONS(X)                                                      \
  X(abi::Task*, __kmpc_omp_target_task_alloc,                                                      \
    (abi::Ident*, abi::GlobalThread, abi::Flags32, std::size_t, std::size_t, void*, std::int64_t)) \
  X(void*, __kmpc_task_allow_completion_event, (abi::Ident*, int, abi::Task*))                     \
  X(void, __kmpc_proxy_task_completed, (abi::GlobalThread, abi::Task*))                            \
  X(void, __kmpc_proxy_task_completed_ooo, (abi::Task*))

#define MUSTER_GOMP_TASK_FUNCTIONS(X)                                                          \
  X(void, GOMP_task,                                                                           \
    (abi::GompRegion, void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int,  \
     void*))                                                                                   \
  X(void, GOMP_taskloop,                                                                       \
    (abi::GompRegion, void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int, \
     long, long, long))                                                                        \
  X(void, GOMP_taskloop_ull,                                                                   \
    (abi::GompRegion, void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int, \
     unsigned long long, unsigned long long, unsigned long long))                              \
  X(void, GOMP_taskwait, ())                                                                   \
  X(void, GOMP_taskwait_depend, (void**))                                                      \
  X(void, GOMP_taskwait_depend_nowait, (void**))                                               \
  X(void, GOMP_taskyield, ())                                                                  \
  X(void, GOMP_taskgroup_end, ())

// libgomp's host fallback runs a target region as if its thread were in no region.
#define MUSTER_GOMP_TARGET_FUNCTIONS(X)                                                          \
  X(void, GOMP_target,                                                                           \
    (int, abi::GompRegion, const void*, std::size_t, void**, std::size_t*, unsigned char*))      \
  X(void, GOMP_target_ext,                                                                       \
    (int, abi::GompRegion, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void**, \
     void**))                                                                                    \
  X(void, GOMP_target_update_ext,                                                                \
    (int, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void**))                 \
  X(void, GOMP_target_enter_exit_data,                                                           \
    (int, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void**))

#define MUSTER_REDUCTION_FUNCTIONS(X)                                                     \
  X(std::int32_t, __kmpc_reduce,                                                          \
    (abi::Ident*, abi::GlobalThread, std::int32_t, std::size_t, void*, abi::Combine,      \
     abi::CriticalName*))                                                                 \
  X(std::int32_t, __kmpc_reduce_nowait,                                                   \
    (abi::Ident*, abi::GlobalThread, std::int32_t, std::size_t, void*, abi::Combine,      \
     abi::CriticalName*))                                                                 \
  X(void, __kmpc_end_reduce, (abi::Ident*, abi::GlobalThread, abi::CriticalName*))        \
  X(void, __kmpc_end_reduce_nowait, (abi::Ident*, abi::GlobalThread, abi::CriticalName*)) \
  X(void, __kmpc_critical, (abi::Ident*, abi::GlobalThread, abi::CriticalName*))          \
  X(void, __kmpc_end_critical, (abi::Ident*, abi::GlobalThread, abi::CriticalName*))

#define MUSTER_COPYPRIVATE_FUNCTIONS(X)                                               \
  X(void, __kmpc_copyprivate,                                                         \
    (abi::Ident*, abi::GlobalThread, std::size_t, void*, abi::Combine, std::int32_t)) \
  X(void*, __kmpc_copyprivate_light, (abi::Ident*, abi::GlobalThread, void*))         \
  X(bool, GOMP_single_start, ())                                                      \
  X(void*, GOMP_single_copy_start, ())                                                \
  X(void, GOMP_single_copy_end, (void*))

#define MUSTER_BARRIER_MASTER_FUNCTIONS(X)                                 \
  X(std::int32_t, __kmpc_barrier_master, (abi::Ident*, abi::GlobalThread)) \
  X(void, __kmpc_end_barrier_master, (abi::Ident*, abi::GlobalThread))     \
  X(std::int32_t, __kmpc_barrier_master_nowait, (abi::Ident*, abi::GlobalThread))

// Those that Muster has entry points for, and what these need.
#define MUSTER_ENTRY_FUNCTIONS(X)       \
  MUSTER_BARRIER_FUNCTIONS(X)           \
  MUSTER_KMPC_FORK_FUNCTIONS(X)         \
  MUSTER_KMPC_LOOP_FUNCTIONS(X)         \
  MUSTER_GOMP_PARALLEL_FUNCTIONS(X)     \
  MUSTER_GOMP_WORKSHARING_FUNCTIONS(X)  \
  MUSTER_KMPC_TASK_FUNCTIONS(X)         \
  MUSTER_KMPC_LASTING_TASK_FUNCTIONS(X) \
  MUSTER_GOMP_TASK_FUNCTIONS(X)         \
  MUSTER_GOMP_TARGET_FUNCTIONS(X)       \
  MUSTER_REDUCTION_FUNCTIONS(X)         \
  MUSTER_COPYPRIVATE_FUNCTIONS(X)       \
  MUSTER_BARRIER_MASTER_FUNCTIONS(X)

#define MUSTER_REAL_FUNCTIONS(X) \
  MUSTER_QUERY_FUNCTIONS(X)      \
  MUSTER_ENTRY_FUNCTIONS(X)

namespace muster {

struct RealFunctions {
#define MUSTER_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  MUSTER_REAL_FUNCTIONS(MUSTER_MEMBER)
#undef MUSTER_MEMBER
};

// None of them is missing.
template <class... Functions>
bool has_all(Functions... functions) {
  return ((functions != nullptr) & ...);
}

}  // namespace muster
