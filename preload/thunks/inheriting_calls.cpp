// What makes a thread or a process, in the C library: runtime-hooks/entry-points/inheriting.txt. The calling
// thread gives back first what Muster has asked of the scheduler for it: nobody else may inherit that. And what ends a
// thread, which closes its fold first, or prepares for its end.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "platform/given_back.h"
#include "preload/thunks/serial_answers.h"
#include "runtime-hooks/folding/own_fold.h"

namespace muster {
namespace {

#define MUSTER_LIBC(name) #name,
constexpr const char* kNames[] = {
#include "libc_names.inc"
};
#undef MUSTER_LIBC
constexpr unsigned kCount = sizeof(kNames) / sizeof(kNames[0]);

bool ends_thread(unsigned index) {
  const std::string_view name = kNames[index];
  return name == "pthread_exit" || name == "thrd_exit";
}

bool makes_key(unsigned index) { return std::string_view(kNames[index]) == "pthread_key_create"; }

// By the thunks' numbers: what would have been called without Muster.
constinit std::atomic<void*> g_next[kCount] = {};

int not_there() { return ENOSYS; }

void* next_of(unsigned index) {
  void* next = g_next[index].load(std::memory_order_relaxed);
  if (next != nullptr) return next;
  next = dlsym(RTLD_NEXT, kNames[index]);
  g_next[index].store(next, std::memory_order_relaxed);
  return next;
}

// Before anybody calls, with few exceptions: dlsym takes the loader's lock, which a thread holds while
// it runs a constructor, and that may wait for a thread of its own.
__attribute__((constructor)) void find_all() {
  for (unsigned index = 0; index < kCount; ++index) next_of(index);
}

}  // namespace

// Where the thunks for these go on (thunk_*.S). Leaves errno alone.
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller);
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void*) {
  const int saved = errno;
  if (makes_key(index)) {
    reserve_fold_ends();
  } else {
    give_everything_back();
  }
  if (ends_thread(index)) end_fold_of_thread();
  void* next = next_of(index);
  errno = saved;
  return next != nullptr ? reinterpret_cast<AnyFunction>(next)
                         : reinterpret_cast<AnyFunction>(&not_there);
}

}  // namespace muster
