#include "counters/muster_events.h"

#include <dlfcn.h>

#include <atomic>

namespace muster {
namespace {

constexpr int kReadOnlySinceStart = 0;  // PAPI_SDE_RO | PAPI_SDE_DELTA
constexpr int kLongLong = 0;            // PAPI_SDE_long_long

template <class Function>
bool find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool find_all(SdeFunctions& sde) {
  return find("papi_sde_init", sde.init) &&
         find("papi_sde_register_counter_cb", sde.register_counter_cb) &&
         find("papi_sde_describe_counter", sde.describe_counter);
}

}  // namespace

bool hands_out_sde_functions() {
  const bool is_of_6 = dlsym(RTLD_DEFAULT, "papi_sde_register_fp_counter") != nullptr;
  dlerror();
  return !is_of_6;
}

void* define_muster_events(const SdeFunctions& sde, SdeFunctions::Count count) {
  void* handle = sde.init("MUSTER");
  if (handle == nullptr) return nullptr;
  for (const MusterEventName& event : kMusterEvents) {
    auto* which = const_cast<MusterEventName*>(&event);
    sde.register_counter_cb(handle, event.name, kReadOnlySinceStart, kLongLong, count, which);
    sde.describe_counter(handle, event.name, event.meaning);
  }
  return handle;
}

void publish_muster_events(SdeFunctions::Count count) {
  static std::atomic<bool> done{false};
  if (done.load(std::memory_order_relaxed)) return;
  // PAPI looks up libsde's functions in the global scope of the process.
  SdeFunctions sde{};
  const bool uses_papi = dlsym(RTLD_DEFAULT, "PAPI_library_init") != nullptr;
  if (!find_all(sde) && uses_papi) {
    constexpr const char* kNames[] = {"libsde.so.1", "libsde.so"};
    for (const char* name : kNames) {
      if (dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nullptr) break;
    }
    find_all(sde);
  }
  dlerror();  // clears the error: the program's next dlerror() is about its own calls
  if (sde.describe_counter == nullptr || done.exchange(true)) return;
  define_muster_events(sde, count);
}

}  // namespace muster
