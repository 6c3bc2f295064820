// Tasks are executed immediately when they are created, so the only thing to wait for are events that other threads
// fulfil. In code compiled by clang, task reductions operate on the variable directly. Code compiled by gcc combines
// the parts of all threads, which is one part here.
#include <algorithm>
#include <cstring>

#include "platform/pages.h"
#include "platform/yield_cpu.h"
#include "preload/serial/functions.h"
#include "preload/serial/region.h"

namespace muster::serial {
namespace {

using Entry = std::int32_t (*)(abi::GlobalThread, abi::Task*);

// A task as code compiled by clang sees it (libomp's kmp_task_t). Muster's own record precedes it in memory.
struct ClangTask {
  void* shared;
  Entry entry;
  std::int32_t part;
  Entry destructors;
};
struct alignas(64) Record {
  std::size_t bytes;         // of record, task and shared data
  std::size_t shared_place;  // offset from the task; 0: none
  abi::Flags32 flags;
  unsigned parts =
      0;  // being executed: each part of an untied task submits the task again for the next one
};
constexpr abi::Flags32 kHasDestructors = 8;

ClangTask& of_clang(abi::Task* task) { return *reinterpret_cast<ClangTask*>(task); }
Record& record_of(abi::Task* task) { return *(reinterpret_cast<Record*>(task) - 1); }

abi::Task* allocate(const Record& record) {
  void* pages = map_pages(record.bytes);
  if (pages == nullptr) __builtin_trap();  // the runtimes end the process, too
  auto* its_record = static_cast<Record*>(pages);
  *its_record = record;
  return reinterpret_cast<abi::Task*>(its_record + 1);
}

void place_shared(abi::Task* task) {
  const std::size_t place = record_of(task).shared_place;
  of_clang(task).shared = place != 0 ? reinterpret_cast<char*>(task) + place : nullptr;
}

void begin(abi::Task* task) { ++record_of(task).parts; }

void end(abi::GlobalThread thread, abi::Task* task) {
  if (--record_of(task).parts != 0) return;
  if ((record_of(task).flags & kHasDestructors) != 0) of_clang(task).destructors(thread, task);
  unmap_pages(&record_of(task), record_of(task).bytes);
}

abi::Task* duplicate_of(abi::Task* task) {
  abi::Task* twin = allocate(record_of(task));
  std::memcpy(static_cast<void*>(twin), task, record_of(task).bytes - sizeof(Record));
  record_of(twin).parts = 0;
  place_shared(twin);
  return twin;
}

// How a taskloop's iterations are divided: `larger` tasks have one more than `iterations`, and the last task may have
// fewer.
struct Division {
  std::uint64_t tasks;
  std::uint64_t iterations;
  std::uint64_t larger = 0;
};

enum class Amount { kNone, kGrainSize, kTasks };

Division divide(std::uint64_t count, Amount kind, std::uint64_t amount, bool strict) {
  if (count == 0) return {0, 0};
  if (kind == Amount::kNone || amount == 0) return {1, count};
  if (kind == Amount::kGrainSize && strict) return {(count + amount - 1) / amount, amount};
  if (kind == Amount::kTasks && strict) {
    const std::uint64_t iterations = (count + amount - 1) / amount;
    return {(count + iterations - 1) / iterations, iterations};
  }
  const std::uint64_t wanted = kind == Amount::kTasks ? amount : count / amount;
  const std::uint64_t tasks = std::clamp<std::uint64_t>(wanted, 1, count);
  return {tasks, count / tasks, count % tasks};
}

// gcc's flags of a taskloop (gomp-constants.h).
constexpr unsigned kUp = 1U << 8;
constexpr unsigned kGrainSize = 1U << 9;
constexpr unsigned kNoGroup = 1U << 11;
constexpr unsigned kReduction = 1U << 12;
constexpr unsigned kStrict = 1U << 14;
constexpr unsigned kDetach = 1U << 13;

// Copies the data of a task compiled by gcc to the stack, with the alignment and the copy function that it passes. Not
// inlined, so that the stack space is freed on return.
template <class Run>
__attribute__((noinline)) void with_copy(void* data, void (*copy)(void*, void*), long bytes,
                                         long alignment, Run&& run) {
  if (copy == nullptr) {
    run(data);
    return;
  }
  auto place = reinterpret_cast<std::uintptr_t>(
      __builtin_alloca(static_cast<std::size_t>(bytes + alignment)));
  place = (place + static_cast<std::uintptr_t>(alignment) - 1) &
          ~(static_cast<std::uintptr_t>(alignment) - 1);
  copy(reinterpret_cast<void*>(place), data);
  run(reinterpret_cast<void*>(place));
}

template <class T>
struct LoopData {
  T begin;
  T end;
  Words reductions;
};

// Each task gets a copy of its own if there is a copy function.
template <class T>
void taskloop(abi::GompRegion function, LoopData<T>* data, void (*copy)(void*, void*), long bytes,
              long alignment, unsigned flags, std::uint64_t amount, T begin, T step,
              std::uint64_t count) {
  const bool registers = (flags & (kNoGroup | kReduction)) == kReduction;
  if (count == 0) {
    if (registers)
      data->reductions[2] = 0;  // libgomp does the same to show that none was registered
    return;
  }
  if (registers) reduction_register(data->reductions);
  const Amount kind = (flags & kGrainSize) != 0 ? Amount::kGrainSize : Amount::kTasks;
  const Division division = divide(count, kind, amount, (flags & kStrict) != 0);
  for (std::uint64_t i = 0, done = 0; i < division.tasks; ++i) {
    const std::uint64_t its =
        std::min(division.iterations + (i < division.larger ? 1 : 0), count - done);
    with_copy(data, copy, bytes, alignment, [&](void* argument) {
      auto* its_data = static_cast<LoopData<T>*>(argument);
      its_data->begin = begin;
      begin += static_cast<T>(its) * step;
      its_data->end = begin;
      function(argument);
    });
    done += its;
  }
  if ((flags & kNoGroup) == 0) wait_for_events();
}

}  // namespace

void wait_for_events() {
  while (region().events.load(std::memory_order_acquire) != 0) give_way();
}

abi::Task* kmpc_task_alloc(abi::Ident*, abi::GlobalThread, abi::Flags32 flags,
                           std::size_t task_bytes, std::size_t shared_bytes, void* entry) {
  const std::size_t place = (task_bytes + 15) & ~std::size_t{15};
  abi::Task* task = allocate({.bytes = sizeof(Record) + place + shared_bytes,
                              .shared_place = shared_bytes != 0 ? place : 0,
                              .flags = flags});
  place_shared(task);
  of_clang(task).entry = reinterpret_cast<Entry>(entry);
  return task;
}

std::int32_t kmpc_task(abi::Ident*, abi::GlobalThread thread, abi::Task* task) {
  begin(task);
  of_clang(task).entry(thread, task);
  end(thread, task);
  return 0;
}

// The program executes the task itself, between these two calls.
void kmpc_task_begin_if0(abi::Ident*, abi::GlobalThread, abi::Task* task) { begin(task); }
void kmpc_task_complete_if0(abi::Ident*, abi::GlobalThread thread, abi::Task* task) {
  end(thread, task);
}

void kmpc_taskloop_5(abi::Ident*, int thread, abi::Task* task, int, std::uint64_t* lower,
                     std::uint64_t* upper, std::int64_t step, int, int schedule,
                     std::uint64_t amount, int strict, void* duplicate) {
  const std::uint64_t first = *lower;
  const std::uint64_t last = *upper;
  const auto size = static_cast<std::uint64_t>(step);
  const std::uint64_t count =
      step > 0 ? (last - first + size) / size : (first - last - size) / (0 - size);
  begin(task);
  const Division division = divide(count, static_cast<Amount>(schedule), amount, strict != 0);
  const auto place = [task](abi::Task* twin, std::uint64_t* bound) -> std::uint64_t& {
    const auto distance = reinterpret_cast<char*>(bound) - reinterpret_cast<char*>(task);
    return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(twin) + distance);
  };
  for (std::uint64_t i = 0, done = 0; i < division.tasks; ++i) {
    const std::uint64_t its =
        std::min(division.iterations + (i < division.larger ? 1 : 0), count - done);
    abi::Task* twin = duplicate_of(task);
    place(twin, lower) = first + done * static_cast<std::uint64_t>(step);
    done += its;
    place(twin, upper) = first + (done - 1) * static_cast<std::uint64_t>(step);
    if (duplicate != nullptr) {
      using Duplicate = void (*)(abi::Task*, abi::Task*, std::int32_t);
      reinterpret_cast<Duplicate>(duplicate)(twin, task, done == count ? 1 : 0);
    }
    kmpc_task(nullptr, thread, twin);
  }
  end(thread, task);
  wait_for_events();
}

void kmpc_taskloop(abi::Ident* where, int thread, abi::Task* task, int condition,
                   std::uint64_t* lower, std::uint64_t* upper, std::int64_t step, int nogroup,
                   int schedule, std::uint64_t amount, void* duplicate) {
  kmpc_taskloop_5(where, thread, task, condition, lower, upper, step, nogroup, schedule, amount, 0,
                  duplicate);
}

// The handle of an event is the address of the region's counter of events that are still to be fulfilled.
void* kmpc_completion_event() {
  region().events.fetch_add(1, std::memory_order_relaxed);
  return &region().events;
}

void fulfill_event(void* event) {
  static_cast<std::atomic<unsigned>*>(event)->fetch_sub(1, std::memory_order_release);
}

void fulfill_event_by_reference(void* const* event) { fulfill_event(*event); }

void* kmpc_reduction_data(int, void*, void* data) { return data; }

void gomp_task(abi::GompRegion function, void* data, void (*copy)(void*, void*), long bytes,
               long alignment, bool, unsigned flags, void**, int, void** detach) {
  if ((flags & kDetach) != 0) {
    *detach = kmpc_completion_event();
    if (data != nullptr) *static_cast<void**>(data) = *detach;
  }
  with_copy(data, copy, bytes, alignment, function);
}

void gomp_taskloop(abi::GompRegion function, void* data, void (*copy)(void*, void*), long bytes,
                   long alignment, unsigned flags, unsigned long amount, int, long begin, long end,
                   long step) {
  const bool any = step > 0 ? begin < end : begin > end;
  const long adjusted = step > 0 ? step - 1 : step + 1;
  const auto count = any ? static_cast<std::uint64_t>((end - begin + adjusted) / step) : 0;
  taskloop(function, static_cast<LoopData<long>*>(data), copy, bytes, alignment, flags, amount,
           begin, step, count);
}

void gomp_taskloop_ull(abi::GompRegion function, void* data, void (*copy)(void*, void*), long bytes,
                       long alignment, unsigned flags, unsigned long amount, int,
                       unsigned long long begin, unsigned long long end, unsigned long long step) {
  const bool up = (flags & kUp) != 0;
  const unsigned long long size = up ? step : 0 - step;
  const unsigned long long distance = up ? end - begin : begin - end;
  const bool any = up ? begin < end : begin > end;
  taskloop(function, static_cast<LoopData<unsigned long long>*>(data), copy, bytes, alignment,
           flags, amount, begin, step, any ? (distance - 1) / size + 1 : 0);
}

// gcc describes task reductions by a list of arrays, linked by word 4. Word 0 is the number of variables, word 1 the
// size of a thread's parts, word 2 their alignment, replaced by their address. Word 5 marks the last array, word 6 is
// the end address. Three words follow for each variable, the first two being its address and the offset of its part.
void reduction_register(Words data) {
  Region& here = region();
  Words array = data;
  for (;;) {
    const std::size_t bytes = array[1];
    array[2] = reinterpret_cast<std::uintptr_t>(map_pages(bytes));
    array[6] = array[2] + bytes;
    array[5] = array[4] == 0 ? 1 : 0;
    if (array[4] == 0) break;
    array = reinterpret_cast<Words>(array[4]);
  }
  array[4] = reinterpret_cast<std::uintptr_t>(here.reductions);
  here.reductions = data;
}

void reduction_unregister(Words data) {
  for (bool last = false; !last && data != nullptr;) {
    unmap_pages(reinterpret_cast<void*>(data[2]), data[6] - data[2]);
    last = data[5] != 0;
    data = reinterpret_cast<Words>(data[4]);
  }
  region().reductions = data;
}

void workshare_reduction_unregister() {
  if (region().reductions != nullptr) reduction_unregister(region().reductions);
}

// Replaces each pointer to a variable, or to a part of it, by a pointer to the calling thread's part.
void reduction_remap(std::size_t count, std::size_t original_count, void** pointers) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(pointers[i]);
    bool found = false;
    for (Words array = region().reductions; array != nullptr && !found;
         array = reinterpret_cast<Words>(array[4])) {
      for (std::size_t k = 0; k < array[0] && !found; ++k) {
        const std::uintptr_t* variable = array + 7 + 3 * k;
        const std::uintptr_t part = array[2] + variable[1];
        found = wanted == variable[0] || wanted == part;
        if (!found) continue;
        pointers[i] = reinterpret_cast<void*>(part);
        if (i < original_count) pointers[count + i] = reinterpret_cast<void*>(variable[0]);
      }
    }
  }
}

}  // namespace muster::serial
