#include "preload/thunks/past_muster.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "platform/c_library/bound.h"
#include "preload/thunks/thunk_banks.h"
#include "preload/thunks/thunks.h"
#include "runtime-hooks/folding/call_effects.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/thunk_banks.h"

namespace muster {
namespace {

// A tool that wraps `name`: it asks for the next definition, and Muster calls it. But if it comes before Muster, that is
// the next one.
bool wraps(const LoadedObject& object, const char* name) {
  return definition_of(dynamic_symbols_of(object), name, nullptr) != nullptr &&
         !goes_before_muster(object, name);
}

void* in_its_bank(void* found, const char* name) {
  if (found == nullptr || in_muster(found)) return found;
  const int saved = errno;
  const unsigned bank = bank_of_definition(found, name);
  if (bank != 0) {
    found = reinterpret_cast<void*>(bank_thunk(bank, thunk_of(name)));
  } else if (is_whole_runtime(object_of(found))) {
    fold_no_more(name);
  }
  errno = saved;
  return found;
}

void* look_up(void* handle, const char* name) { return in_its_bank(dlsym(handle, name), name); }

void* look_up_version(void* handle, const char* name, const char* version) {
  return in_its_bank(muster_dlvsym(handle, name, version), name);
}

}  // namespace

void before_opening(const char* file, int mode, const void* caller) {
  if (file != nullptr && (mode & RTLD_DEEPBIND) != 0) {
    look_past_muster();
    apply_effect("dlopen", Effect::kSets, caller);
  }
  bind_loaded_objects(file);
}

void* look_up_instead(void* handle, const char* name, bool with_version, const void* caller) {
  if (in_muster(caller)) return nullptr;
  are_objects_bound();  // since a dlopen with RTLD_DEEPBIND, nobody may have called Muster
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT) return nullptr;
  if (!muster_c_library_is_complete() || !has_thunk(name)) return nullptr;
  const LoadedObject object = object_of(caller);
  if (object.found() && (is_whole_runtime(object) || wraps(object, name))) return nullptr;
  return with_version ? reinterpret_cast<void*>(look_up_version) : reinterpret_cast<void*>(look_up);
}

}  // namespace muster
