// Entry points that create tasks. The team's next barrier must be the real one, which finishes them. Each entry point
// notes that and then calls the runtime.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"

using namespace muster;

namespace {

// libgomp's flag for `detach` tasks (gomp-constants.h).
constexpr unsigned kGompTaskDetach = 1U << 13;

// A task of the program, or one that the runtime creates for it.
void creates_task() { note_task(/*lasting=*/false); }
// One that may still be pending after a barrier, because something outside the team completes it.
void creates_lasting_task() { note_task(/*lasting=*/true); }

}  // namespace

MUSTER_ENTRY abi::Task* __kmpc_omp_task_alloc(abi::Ident* where, abi::GlobalThread thread,
                                              abi::Flags32 flags, std::size_t task_bytes,
                                              std::size_t shared_bytes, void* entry) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  return MUSTER_REAL_FOR(caller, __kmpc_omp_task_alloc)(where, thread, flags, task_bytes,
                                                        shared_bytes, entry);
}

MUSTER_ENTRY std::int32_t __kmpc_omp_task(abi::Ident* where, abi::GlobalThread thread,
                                          abi::Task* task) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  return MUSTER_REAL_FOR(caller, __kmpc_omp_task)(where, thread, task);
}

MUSTER_ENTRY std::int32_t __kmpc_omp_task_parts(abi::Ident* where, abi::GlobalThread thread,
                                                abi::Task* task) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  return MUSTER_REAL_FOR(caller, __kmpc_omp_task_parts)(where, thread, task);
}

MUSTER_ENTRY std::int32_t __kmpc_omp_task_with_deps(abi::Ident* where, abi::GlobalThread thread,
                                                    abi::Task* task, std::int32_t count, void* list,
                                                    std::int32_t noalias_count,
                                                    void* noalias_list) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  return MUSTER_REAL_FOR(caller, __kmpc_omp_task_with_deps)(where, thread, task, count, list,
                                                            noalias_count, noalias_list);
}

MUSTER_ENTRY void __kmpc_omp_task_begin_if0(abi::Ident* where, abi::GlobalThread thread,
                                            abi::Task* task) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  MUSTER_REAL_FOR(caller, __kmpc_omp_task_begin_if0)(where, thread, task);
}

MUSTER_ENTRY void __kmpc_taskloop(abi::Ident* where, int thread, abi::Task* task, int condition,
                                  std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,
                                  int nogroup, int schedule, std::uint64_t grain, void* duplicate) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, __kmpc_taskloop)(where, thread, task, condition, lower, upper, step,
                                           nogroup, schedule, grain, duplicate);
}

MUSTER_ENTRY void __kmpc_taskloop_5(abi::Ident* where, int thread, abi::Task* task, int condition,
                                    std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,
                                    int nogroup, int schedule, std::uint64_t grain, int modifier,
                                    void* duplicate) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, __kmpc_taskloop_5)(where, thread, task, condition, lower, upper, step,
                                             nogroup, schedule, grain, modifier, duplicate);
}

MUSTER_ENTRY void __kmpc_omp_taskwait_deps_51(abi::Ident* where, abi::GlobalThread thread,
                                              std::int32_t count, void* list,
                                              std::int32_t noalias_count, void* noalias_list,
                                              std::int32_t nowait) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, __kmpc_omp_taskwait_deps_51)(where, thread, count, list, noalias_count,
                                                       noalias_list, nowait);
}

MUSTER_ENTRY void* __kmpc_task_reduction_init(int thread, int count, void* data) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  return MUSTER_REAL_FOR(caller, __kmpc_task_reduction_init)(thread, count, data);
}

MUSTER_ENTRY void* __kmpc_taskred_init(int thread, int count, void* data) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  return MUSTER_REAL_FOR(caller, __kmpc_taskred_init)(thread, count, data);
}

MUSTER_ENTRY void* __kmpc_task_reduction_modifier_init(abi::Ident* where, int thread,
                                                       int worksharing, int count, void* data) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  return MUSTER_REAL_FOR(caller, __kmpc_task_reduction_modifier_init)(where, thread, worksharing,
                                                                      count, data);
}

MUSTER_ENTRY void* __kmpc_taskred_modifier_init(abi::Ident* where, int thread, int worksharing,
                                                int count, void* data) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  return MUSTER_REAL_FOR(caller, __kmpc_taskred_modifier_init)(where, thread, worksharing, count,
                                                               data);
}

MUSTER_ENTRY void __kmpc_task_reduction_modifier_fini(abi::Ident* where, int thread,
                                                      int worksharing) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  MUSTER_REAL_FOR(caller, __kmpc_task_reduction_modifier_fini)(where, thread, worksharing);
}

MUSTER_ENTRY abi::Task* __kmpc_omp_target_task_alloc(abi::Ident* where, abi::GlobalThread thread,
                                                     abi::Flags32 flags, std::size_t task_bytes,
                                                     std::size_t shared_bytes, void* entry,
                                                     std::int64_t device) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  note_target_task(runtime_of(caller, "__kmpc_omp_target_task_alloc"));
  return MUSTER_REAL_FOR(caller, __kmpc_omp_target_task_alloc)(where, thread, flags, task_bytes,
                                                               shared_bytes, entry, device);
}

MUSTER_ENTRY void* __kmpc_task_allow_completion_event(abi::Ident* where, int thread,
                                                      abi::Task* task) {
  const void* const caller = MUSTER_CALLER;
  creates_lasting_task();
  return MUSTER_REAL_FOR(caller, __kmpc_task_allow_completion_event)(where, thread, task);
}

MUSTER_ENTRY void __kmpc_proxy_task_completed(abi::GlobalThread thread, abi::Task* task) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, __kmpc_proxy_task_completed)(thread, task);
}

MUSTER_ENTRY void __kmpc_proxy_task_completed_ooo(abi::Task* task) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, __kmpc_proxy_task_completed_ooo)(task);
}

MUSTER_ENTRY void GOMP_task(abi::GompRegion function, void* data, void (*copy)(void*, void*),
                            long bytes, long alignment, bool condition, unsigned flags,
                            void** depend, int priority, void* detach) {
  const void* const caller = MUSTER_CALLER;
  if ((flags & kGompTaskDetach) != 0) {
    creates_lasting_task();
  } else {
    creates_task();
  }
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_task)(function, data, copy, bytes, alignment, condition, flags,
                                     depend, priority, detach);
}

MUSTER_ENTRY void GOMP_taskloop(abi::GompRegion function, void* data, void (*copy)(void*, void*),
                                long bytes, long alignment, unsigned flags, unsigned long tasks,
                                int priority, long begin, long end, long step) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskloop)(function, data, copy, bytes, alignment, flags, tasks,
                                         priority, begin, end, step);
}

MUSTER_ENTRY void GOMP_taskloop_ull(abi::GompRegion function, void* data,
                                    void (*copy)(void*, void*), long bytes, long alignment,
                                    unsigned flags, unsigned long tasks, int priority,
                                    unsigned long long begin, unsigned long long end,
                                    unsigned long long step) {
  const void* const caller = MUSTER_CALLER;
  creates_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskloop_ull)(function, data, copy, bytes, alignment, flags, tasks,
                                             priority, begin, end, step);
}

// These wait for tasks and may run them. In code compiled by clang, libomp knows that a task is running. libgomp has
// no query for that.

MUSTER_ENTRY void GOMP_taskwait() {
  const void* const caller = MUSTER_CALLER;
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskwait)();
}

MUSTER_ENTRY void GOMP_taskwait_depend(void** depend) {
  const void* const caller = MUSTER_CALLER;
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskwait_depend)(depend);
}

MUSTER_ENTRY void GOMP_taskwait_depend_nowait(void** depend) {
  const void* const caller = MUSTER_CALLER;
  creates_lasting_task();
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskwait_depend_nowait)(depend);
}

MUSTER_ENTRY void GOMP_taskyield() {
  const void* const caller = MUSTER_CALLER;
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskyield)();
}

MUSTER_ENTRY void GOMP_taskgroup_end() {
  const void* const caller = MUSTER_CALLER;
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_taskgroup_end)();
}
