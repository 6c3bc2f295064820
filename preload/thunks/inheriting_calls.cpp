// What makes a thread or a process, in the C library: runtime-hooks/entry-points/inheriting.txt. The calling
// thread gives back first what Muster has asked of the scheduler for it: nobody else may inherit that. What ends a
// thread, which closes its fold first, or prepares for its end. And what looks at another thread's affinity, or sets it: Muster moves no thread
// from then on (platform/thread_place.h).
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "platform/given_back.h"
#include "platform/thread_place.h"
#include "preload/thunks/serial_answers.h"
#include "preload/thunks/thunks.h"
#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/objects/address_cache.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {
namespace {

#define MUSTER_LIBC(name) #name,
constexpr const char* kNames[] = {
#include "libc_names.inc"
};
#undef MUSTER_LIBC
constexpr unsigned kCount = sizeof(kNames) / sizeof(kNames[0]);

// What is done before a call.
enum class Before {
  kGivesBack,     // it makes a thread or a process, which inherits
  kEndsFold,      // the same, and the thread ends
  kMakesKey,      // Muster's own comes first
  kAsksByNumber,  // about the affinity of a thread, the first argument: a number of the kernel's
  kAsksByHandle,  // the same, of the C library's
};

constexpr Before before_call_of(std::string_view name) {
  if (name == "pthread_exit" || name == "thrd_exit") return Before::kEndsFold;
  if (name == "pthread_key_create") return Before::kMakesKey;
  if (name == "sched_getaffinity" || name == "sched_setaffinity") return Before::kAsksByNumber;
  if (name == "pthread_getaffinity_np" || name == "pthread_setaffinity_np" ||
      name == "pthread_getattr_np") {
    return Before::kAsksByHandle;
  }
  return Before::kGivesBack;
}

#define MUSTER_LIBC(name) before_call_of(#name),
constexpr Before kBefore[] = {
#include "libc_names.inc"
};
#undef MUSTER_LIBC

// For the calling thread itself moves need not end: it is not being moved, or it would not be here.
void before(unsigned index, std::uintptr_t argument) {
  switch (kBefore[index]) {
    case Before::kMakesKey:
      return reserve_fold_ends();
    case Before::kAsksByNumber: {
      const auto thread = static_cast<pid_t>(argument);
      if (thread != 0 && thread != syscall(SYS_gettid)) end_moves();
      return;
    }
    case Before::kAsksByHandle:
      if (argument != static_cast<std::uintptr_t>(pthread_self())) end_moves();
      return;
    case Before::kEndsFold:
      give_everything_back();
      return end_fold_of_thread();
    case Before::kGivesBack:
      return give_everything_back();
  }
}

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

// For those names, what each calling object gets.
struct Choice {
  std::uintptr_t begin = 0;  // the calling object's address range
  std::uintptr_t end = 0;
  unsigned index = 0;
  void* function = nullptr;

  bool serves_as(const Choice& other) const { return index == other.index; }
  void*& value() { return function; }
  void* const& value() const { return function; }
};
constinit AddressCache<Choice, 256> g_choices;

// That of the version which the caller was linked with. From the objects' own tables: none of the loader's
// locks that a constructor may run under.
void* next_for(unsigned index, const void* caller) {
  void* next = next_of(index);
  if (next == nullptr || !g_differs[index].load(std::memory_order_relaxed)) return next;
  const Choice* known =
      g_choices.find(caller, [index](const Choice& choice) { return choice.index == index; });
  if (known != nullptr) return known->function;
  const LoadedObject object = object_of(caller);
  const char* version = reference_to(dynamic_symbols_of(object), kNames[index]).version;
  void* its = version != nullptr ? defined_by(object_of(next), kNames[index], version) : nullptr;
  if (its == nullptr) its = next;
  if (object.found()) g_choices.add({object.begin, object.end, index, its});
  return its;
}

// Before anybody calls, with few exceptions: dlsym takes the loader's lock, which a thread holds while
// it runs a constructor, and that may wait for a thread of its own.
__attribute__((constructor)) void find_all() {
  for (unsigned index = 0; index < kCount; ++index) next_of(index);
}

}  // namespace

void forget_choices(const Gone& gone) {
  g_choices.forget(
      [&](const Choice& choice) { return gone(choice.begin) || gone(choice.function); });
}

void choices_after_fork() { g_choices.after_fork_in_child(); }

// Where the thunks for these go on (thunk_*.S). Leaves errno alone.
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller,
                                                std::uintptr_t argument);
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller,
                                                std::uintptr_t argument) {
  const int saved = errno;
  before(index, argument);
  void* next = next_for(index, caller);
  errno = saved;
  return next != nullptr ? reinterpret_cast<AnyFunction>(next)
                         : reinterpret_cast<AnyFunction>(&not_there);
}

}  // namespace muster
