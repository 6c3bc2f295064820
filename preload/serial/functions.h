// The functions of the serial OpenMP, by file. A function that serves several entry points takes the arguments that
// these have in common. Further arguments of a caller are ignored, which works in every ABI that Muster supports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime-hooks/runtimes/abi.h"

namespace muster::serial {

using Words = std::uintptr_t*;  // gcc's descriptor of a construct's task reductions

// regions.cpp
void kmpc_fork(abi::Ident*, std::int32_t count, abi::Microtask function, ...);
void kmpc_fork_if(abi::Ident*, std::int32_t count, abi::Microtask function, std::int32_t condition,
                  void* argument);
void open_region();
void close_region();
void gomp_parallel(abi::GompRegion function, void* data);
unsigned gomp_parallel_reductions(abi::GompRegion function, void* data);
void gomp_parallel_loop(abi::GompRegion function, void* data, unsigned threads, long begin,
                        long end, long step);
void gomp_parallel_loop_start(abi::GompRegion function, void* data, unsigned threads, long begin,
                              long end, long step);
void gomp_parallel_sections(abi::GompRegion function, void* data, unsigned threads, unsigned count);
void gomp_parallel_sections_start(abi::GompRegion function, void* data, unsigned threads,
                                  unsigned count);
void gomp_target(int device, abi::GompRegion function, const void* unused, std::size_t count,
                 void** addresses);
void gomp_target_ext(int device, abi::GompRegion function, std::size_t count, void** addresses,
                     const std::size_t* sizes, const unsigned short* kinds);
bool gomp_teams4(unsigned lowest, unsigned highest, unsigned limit, bool first);
void kmpc_error(abi::Ident*, int severity, const char* text);

// gomp_loops.cpp
bool loop_start(long begin, long end, long step, long chunk, long* first, long* last);
bool loop_runtime_start(long begin, long end, long step, long* first, long* last);
bool loop_general_start(long begin, long end, long step, long schedule, long chunk, long* first,
                        long* last, Words reductions, void** memory);
bool loop_next(long* first, long* last);
bool ull_start(bool up, unsigned long long begin, unsigned long long end, unsigned long long step,
               unsigned long long chunk, unsigned long long* first, unsigned long long* last);
bool ull_runtime_start(bool up, unsigned long long begin, unsigned long long end,
                       unsigned long long step, unsigned long long* first,
                       unsigned long long* last);
bool ull_general_start(bool up, unsigned long long begin, unsigned long long end,
                       unsigned long long step, long schedule, unsigned long long chunk,
                       unsigned long long* first, unsigned long long* last, Words reductions,
                       void** memory);
bool doacross_start(unsigned count, const long* counts, long chunk, long* first, long* last);
bool doacross_runtime_start(unsigned count, const long* counts, long* first, long* last);
bool doacross_general_start(unsigned count, const long* counts, long schedule, long chunk,
                            long* first, long* last, Words reductions, void** memory);
unsigned sections_start(unsigned count);
unsigned sections2_start(unsigned count, Words reductions, void** memory);
unsigned sections_next();
void scope_start(Words reductions);
long construct_end();

// kmpc_loops.cpp, by the type of the loop variable
template <class T>
struct KmpcLoop {
  using Signed = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static void static_init(abi::Ident*, abi::GlobalThread, std::int32_t schedule, std::int32_t* last,
                          T* lower, T* upper, Signed* stride, Signed step);
  static void dist_static_init(abi::Ident*, abi::GlobalThread, std::int32_t schedule,
                               std::int32_t* last, T* lower, T* upper, T* whole_upper,
                               Signed* stride, Signed step);
  static void team_static_init(abi::Ident*, abi::GlobalThread, std::int32_t* last, T* lower,
                               T* upper, Signed* stride, Signed step);
  static void dispatch_init(abi::Ident*, abi::GlobalThread, std::int32_t schedule, T lower, T upper,
                            Signed step);
  static void dist_dispatch_init(abi::Ident*, abi::GlobalThread, std::int32_t schedule,
                                 std::int32_t* last, T lower, T upper, Signed step);
  static std::int32_t dispatch_next(abi::Ident*, abi::GlobalThread, std::int32_t* last, T* lower,
                                    T* upper, Signed* step);
};
std::int32_t kmpc_sections_init();
std::int32_t kmpc_next_section(abi::Ident*, abi::GlobalThread, std::int32_t count);

// tasks.cpp
void wait_for_events();
abi::Task* kmpc_task_alloc(abi::Ident*, abi::GlobalThread, abi::Flags32 flags,
                           std::size_t task_bytes, std::size_t shared_bytes, void* entry);
std::int32_t kmpc_task(abi::Ident*, abi::GlobalThread thread, abi::Task* task);
void kmpc_task_begin_if0(abi::Ident*, abi::GlobalThread, abi::Task* task);
void kmpc_task_complete_if0(abi::Ident*, abi::GlobalThread thread, abi::Task* task);
void kmpc_taskloop(abi::Ident*, int thread, abi::Task* task, int condition, std::uint64_t* lower,
                   std::uint64_t* upper, std::int64_t step, int nogroup, int schedule,
                   std::uint64_t amount, void* duplicate);
void kmpc_taskloop_5(abi::Ident*, int thread, abi::Task* task, int condition, std::uint64_t* lower,
                     std::uint64_t* upper, std::int64_t step, int nogroup, int schedule,
                     std::uint64_t amount, int strict, void* duplicate);
void* kmpc_completion_event();
void* kmpc_reduction_data(int thread, void* group, void* data);
void fulfill_event(void* event);
void fulfill_event_by_reference(void* const* event);
void gomp_task(abi::GompRegion function, void* data, void (*copy)(void*, void*), long bytes,
               long alignment, bool condition, unsigned flags, void** depend, int priority,
               void** detach);
void gomp_taskloop(abi::GompRegion function, void* data, void (*copy)(void*, void*), long bytes,
                   long alignment, unsigned flags, unsigned long amount, int priority, long begin,
                   long end, long step);
void gomp_taskloop_ull(abi::GompRegion function, void* data, void (*copy)(void*, void*), long bytes,
                       long alignment, unsigned flags, unsigned long amount, int priority,
                       unsigned long long begin, unsigned long long end, unsigned long long step);
void reduction_register(Words data);
void reduction_unregister(Words data);
void workshare_reduction_unregister();
void reduction_remap(std::size_t count, std::size_t original_count, void** pointers);

// threadprivate.cpp
void threadprivate_register(abi::Ident*, void* data, void* (*construct)(void*));
void threadprivate_register_vector(abi::Ident*, void* data, void* (*construct)(void*, std::size_t),
                                   void* copy, void* destroy, std::size_t count);
void* threadprivate(abi::Ident*, abi::GlobalThread, void* data, std::size_t bytes);

}  // namespace muster::serial
