// The functions of the C library that read or set what a signal does. They see and set the program's dispositions, as
// without Muster (dispositions.h). Async-signal-safe, as they are in the C library.
#include <dlfcn.h>

#include <atomic>

#include "preload/entry.h"
#include "preload/signals/dispositions.h"

namespace muster {
namespace {

// X(result, name, parameters, arguments). The first argument is the signal.
#define MUSTER_SIGNAL_FUNCTIONS(X)                                                        \
  X(SignalHandler, signal, (int number, SignalHandler handler), (number, handler))        \
  X(SignalHandler, bsd_signal, (int number, SignalHandler handler), (number, handler))    \
  X(SignalHandler, ssignal, (int number, SignalHandler handler), (number, handler))       \
  X(SignalHandler, sysv_signal, (int number, SignalHandler handler), (number, handler))   \
  X(SignalHandler, __sysv_signal, (int number, SignalHandler handler), (number, handler)) \
  X(int, sigignore, (int number), (number))                                               \
  X(int, siginterrupt, (int number, int interrupts), (number, interrupts))

struct Real {
#define MUSTER_MEMBER(result, name, parameters, arguments) \
  std::atomic<result(*) parameters> name{nullptr};
  MUSTER_SIGNAL_FUNCTIONS(MUSTER_MEMBER)
#undef MUSTER_MEMBER
  std::atomic<SignalHandler (*)(int, SignalHandler)> sigset{nullptr};
  std::atomic<int (*)(int, const struct sigaction*, struct sigaction*)> sigaction{nullptr};
};
constinit Real g_real;

template <class Function>
Function find(std::atomic<Function>& place, const char* name) {
  Function function = place.load(std::memory_order_relaxed);
  if (function != nullptr) return function;
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
  place.store(function, std::memory_order_relaxed);
  return function;
}

// Before the first call, nearly always: dlsym takes the loader's lock.
__attribute__((constructor)) void find_all() {
  find(g_real.sigaction, "sigaction");
#define MUSTER_FIND(result, name, parameters, arguments) find(g_real.name, #name);
  MUSTER_SIGNAL_FUNCTIONS(MUSTER_FIND)
#undef MUSTER_FIND
  find(g_real.sigset, "sigset");
  dlerror();  // clears the error where a C library lacks one
}

}  // namespace
}  // namespace muster

using muster::SignalHandler;

MUSTER_EXPORT int sigaction(int number, const struct sigaction* action,
                            struct sigaction* old) noexcept {
  const muster::ProgramsDisposition scope(number);
  return muster::find(muster::g_real.sigaction, "sigaction")(number, action, old);
}

MUSTER_EXPORT int __sigaction(int number, const struct sigaction* action,
                              struct sigaction* old) noexcept {
  return sigaction(number, action, old);
}

#define MUSTER_DEFINE(result, name, parameters, arguments)     \
  MUSTER_EXPORT result name parameters noexcept {              \
    const muster::ProgramsDisposition scope(number);           \
    return muster::find(muster::g_real.name, #name) arguments; \
  }
MUSTER_SIGNAL_FUNCTIONS(MUSTER_DEFINE)
#undef MUSTER_DEFINE

// It also changes the signal mask.
MUSTER_EXPORT SignalHandler sigset(int number, SignalHandler handler) noexcept {
  muster::leave_disposition(number);
  return muster::find(muster::g_real.sigset, "sigset")(number, handler);
}
