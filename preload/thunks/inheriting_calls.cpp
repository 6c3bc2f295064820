// What makes a thread or a process, in the C library: runtime-hooks/entry-points/inheriting.txt. The calling
// thread gives back first what Muster has asked of the scheduler for it: nobody else may inherit that. And what ends a
// thread, which closes its fold first, or prepares for its end.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "platform/given_back.h"
#include "preload/thunks/serial_answers.h"
#include "runtime-hooks/dynamic_symbols.h"
#include "runtime-hooks/folding/own_fold.h"
#include "runtime-hooks/loaded_objects.h"

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

// By the thunks' numbers: what would have been called without Muster, by those who ask for no version. And
// whether there is another function for those who ask for another one: glibc's posix_spawn of 2011, which
// has the shell run what is no program.
constinit std::atomic<void*> g_next[kCount] = {};
constinit std::atomic<bool> g_differs[kCount] = {};

int not_there() { return ENOSYS; }

void* next_of(unsigned index) {
  void* next = g_next[index].load(std::memory_order_acquire);
  if (next != nullptr) return next;
  next = dlsym(RTLD_NEXT, kNames[index]);
  const DynamicSymbols symbols =
      next != nullptr ? dynamic_symbols_of(object_of(next)) : DynamicSymbols{};
  g_differs[index].store(differs_by_version(symbols, kNames[index]), std::memory_order_relaxed);
  g_next[index].store(next, std::memory_order_release);
  return next;
}

// That of the version which the caller was linked with. From the objects' own tables: none of the loader's
// locks that a constructor may run under.
void* next_for(unsigned index, const void* caller) {
  void* next = next_of(index);
  if (next == nullptr || !g_differs[index].load(std::memory_order_relaxed)) return next;
  const char* version = reference_to(dynamic_symbols_of(object_of(caller)), kNames[index]).version;
  void* its = version != nullptr ? defined_by(object_of(next), kNames[index], version) : nullptr;
  return its != nullptr ? its : next;
}

// Before anybody calls, with few exceptions: dlsym takes the loader's lock, which a thread holds while
// it runs a constructor, and that may wait for a thread of its own.
__attribute__((constructor)) void find_all() {
  for (unsigned index = 0; index < kCount; ++index) next_of(index);
}

}  // namespace

// Where the thunks for these go on (thunk_*.S). Leaves errno alone.
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller);
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller) {
  const int saved = errno;
  if (makes_key(index)) {
    reserve_fold_ends();
  } else {
    give_everything_back();
  }
  if (ends_thread(index)) end_fold_of_thread();
  void* next = next_for(index, caller);
  errno = saved;
  return next != nullptr ? reinterpret_cast<AnyFunction>(next)
                         : reinterpret_cast<AnyFunction>(&not_there);
}

}  // namespace muster
