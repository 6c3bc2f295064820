#include "preload/thunks/observed_calls.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "preload/thunks/serial_answers.h"
#include "runtime-hooks/runtimes/ompt_tool.h"
#include "runtime-hooks/teams/observed_barrier.h"

namespace muster {
namespace {

// Each has a thunk of its own (thunk_*.S), which is not exported.
#define MUSTER_OBSERVED(name, what) \
  extern "C" __attribute__((visibility("hidden"))) void muster_observed_##name();
#include "observed_names.inc"
#undef MUSTER_OBSERVED

enum class What { kBarrier, kTask, kLastingTask };

struct ObservedCall {
  const char* name;
  What what;
  AnyFunction thunk;
};
#define MUSTER_OBSERVED(name, what) {#name, What::what, muster_observed_##name},
constexpr ObservedCall kCalls[] = {
#include "observed_names.inc"
};
#undef MUSTER_OBSERVED
constexpr unsigned kCount = sizeof(kCalls) / sizeof(kCalls[0]);

// One runtime of a process can be observed.
constinit std::atomic<Runtime*> g_runtime{nullptr};
constinit std::atomic<void*> g_real[kCount] = {};

// Has happened: what the program's call returns to. The value is that of functions that return one.
int nothing_more() { return 0; }

}  // namespace

void* observed_call(Runtime& runtime, const char* name, void* function) {
  if (function != definition_in(runtime, name))
    return function;  // another library's, which wraps it
  for (unsigned i = 0; i < kCount; ++i) {
    if (std::strcmp(kCalls[i].name, name) != 0) continue;
    g_real[i].store(function, std::memory_order_relaxed);
    g_runtime.store(&runtime, std::memory_order_release);
    return reinterpret_cast<void*>(kCalls[i].thunk);
  }
  return function;
}

// Called by the thunk that replaces a runtime's reference to dlsym, with the first argument.
extern "C" AnyFunction muster_decide_dlsym(unsigned index, const void* caller, const void* library);
extern "C" AnyFunction muster_decide_dlsym(unsigned, const void*, const void* library) {
  return dlsym_for(library);
}

// Called by those thunks. Returns the function to jump to. Preserves errno.
extern "C" AnyFunction muster_observed_decide(unsigned index, const void* caller,
                                              std::uintptr_t argument);
extern "C" AnyFunction muster_observed_decide(unsigned index, const void* caller,
                                              std::uintptr_t argument) {
  const int saved = errno;
  Runtime& runtime = *g_runtime.load(std::memory_order_acquire);
  bool is_done = false;
  if (kCalls[index].what == What::kBarrier) {
    // The thunk's frame begins where that of the runtime's function would begin.
    void* thunks_frame = *static_cast<void**>(__builtin_frame_address(0));
    is_done = observed_barrier(runtime, reinterpret_cast<const abi::Ident*>(argument), caller,
                               thunks_frame);
  } else {
    note_observed_task(runtime, kCalls[index].what == What::kLastingTask);
  }
  errno = saved;
  return is_done ? reinterpret_cast<AnyFunction>(&nothing_more)
                 : reinterpret_cast<AnyFunction>(g_real[index].load(std::memory_order_relaxed));
}

}  // namespace muster
