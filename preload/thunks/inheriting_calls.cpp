// The interposed functions of the C library (runtime-hooks/entry-points/inheriting.txt). Those that create a thread
// or a process: the calling thread first restores the scheduling attributes that Muster has changed, so that nothing
// inherits them. Those that end a thread: its fold is closed first. pthread_key_create. Those that read or set another
// thread's affinity: Muster moves no thread from then on (platform/thread_place.h). And those that load objects and look
// functions up in them (past_muster.h).
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "platform/c_library/bound.h"
#include "platform/given_back.h"
#include "platform/optional_calls.h"
#include "platform/thread_place.h"
#include "preload/thunks/past_muster.h"
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
constexpr unsigned index_of(std::string_view name) {
  unsigned index = 0;
  while (kNames[index] != name) ++index;
  return index;
}
constexpr unsigned kDlsym = index_of("dlsym");

// What is done before a call.
enum class Before {
  kGivesBack,     // it creates a thread or a process, which inherits
  kEndsFold,      // the thread ends
  kMakesKey,      // Muster's own key must be created before
  kAsksByNumber,  // reads or sets a thread's affinity; the first argument is a thread id of the kernel
  kAsksByHandle,  // the same with a pthread_t
  kLoads,         // more objects
  kLooksUp,       // a function: another one may do it
};

constexpr Before before_call_of(std::string_view name) {
  if (name == "pthread_exit" || name == "thrd_exit") return Before::kEndsFold;
  if (name == "dlopen") return Before::kLoads;
  if (name == "dlsym" || name == "dlvsym") return Before::kLooksUp;
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

// Moves go on if a thread asks for its own affinity: while it runs this, it is not being moved.
void before(unsigned index, const void* caller, std::uintptr_t argument, std::uintptr_t second) {
  switch (kBefore[index]) {
    case Before::kMakesKey:
      if (muster_c_library_is_complete()) reserve_fold_ends();
      return;
    case Before::kAsksByNumber: {
      const auto thread = static_cast<pid_t>(argument);
      if (thread != 0 && thread != optional_call(SYS_gettid)) end_moves();
      return;
    }
    case Before::kAsksByHandle:
      if (argument != static_cast<std::uintptr_t>(pthread_self())) end_moves();
      return;
    case Before::kLoads:
      if (!in_muster(caller) && muster_c_library_is_complete())
        before_opening(reinterpret_cast<const char*>(argument), static_cast<int>(second), caller);
      return;
    case Before::kLooksUp:
      return;
    case Before::kEndsFold:
      give_everything_back();
      return end_fold_of_thread();
    case Before::kGivesBack:
      return give_everything_back();
  }
}

// Indexed by the thunks' numbers: the function that would be called without Muster, by callers that refer to no symbol
// version. And whether another version is a different function, such as glibc's posix_spawn of 2011, which lets the
// shell run what is no program.
constinit std::atomic<void*> g_next[kCount] = {};
constinit std::atomic<bool> g_differs[kCount] = {};

int missing() { return ENOSYS; }
void* nothing_found() { return nullptr; }

// By the C library's own dlsym: another preload's asks dlvsym, which is Muster's, for what comes next.
void* next_definition(const char* name) {
  using LookUp = void* (*)(void*, const char*);
  const auto look_up = reinterpret_cast<LookUp>(muster_find_in_c_library("dlsym"));
  return look_up != nullptr ? look_up(RTLD_NEXT, name) : nullptr;
}

void* next_of(unsigned index) {
  void* next = g_next[index].load(std::memory_order_acquire);
  if (next != nullptr) return next;
  next = next_definition(kNames[index]);
  // object_of() may need what they find.
  if (next != nullptr && kBefore[index] != Before::kLooksUp) {
    const DynamicSymbols symbols = dynamic_symbols_of(object_of(next));
    g_differs[index].store(differs_by_version(symbols, kNames[index]), std::memory_order_relaxed);
  }
  g_next[index].store(next, std::memory_order_release);
  return next;
}

// For those names, the function for each calling object.
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

// The function of the version that the caller was linked with. Found in the objects' own tables, without the loader's
// locks, which may be held while a constructor runs.
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

// Before the first call, nearly always. dlsym takes the loader's lock, which a thread holds while it runs a
// constructor, and a constructor may wait for a thread that it has created.
__attribute__((constructor)) void find_all() {
  for (unsigned index = 0; index < kCount; ++index) next_of(index);
  dlerror();  // clears the error where a C library lacks one: the program's next dlerror() is about its own calls
}

}  // namespace

void forget_choices(const Gone& gone) {
  g_choices.forget(
      [&](const Choice& choice) { return gone(choice.begin) || gone(choice.function); });
}

void choices_after_fork() { g_choices.after_fork_in_child(); }

// Called by the thunks of these names (thunk_*.S). Returns the function to jump to. Preserves errno.
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller,
                                                std::uintptr_t first, std::uintptr_t second);
extern "C" AnyFunction muster_before_inheriting(unsigned index, const void* caller,
                                                std::uintptr_t first, std::uintptr_t second) {
  const int saved = errno;
  before(index, caller, first, second);
  void* next = nullptr;
  if (kBefore[index] == Before::kLooksUp) {
    next = look_up_instead(reinterpret_cast<void*>(first), reinterpret_cast<const char*>(second),
                           /*with_version=*/index != kDlsym, caller);
  }
  if (next == nullptr) next = next_for(index, caller);
  errno = saved;
  if (next != nullptr) return reinterpret_cast<AnyFunction>(next);
  const bool gives_pointer = kBefore[index] == Before::kLooksUp;
  return gives_pointer ? reinterpret_cast<AnyFunction>(&nothing_found)
                       : reinterpret_cast<AnyFunction>(&missing);
}

}  // namespace muster
