// Objects that are unloaded while the process runs (dlclose). What Muster caches about an object is invalidated with
// it: another one may be mapped at its addresses a moment later. docs/understand/transparency.md, "A runtime that
// goes away".
#pragma once

#include <cstdint>

namespace muster {

struct LoadedObject;

// Whether an address belongs to an object that is unloaded or just being unloaded.
class Gone {
 public:
  template <class Objects>
  explicit Gone(const Objects& objects)
      : objects_(&objects), holds_([](const void* data, std::uintptr_t address) {
          return static_cast<const Objects*>(data)->has_gone(address);
        }) {}

  bool operator()(std::uintptr_t address) const { return holds_(objects_, address); }
  bool operator()(const void* address) const {
    return (*this)(reinterpret_cast<std::uintptr_t>(address));
  }

 private:
  const void* objects_;
  bool (*holds_)(const void*, std::uintptr_t);
};

// Invalidates a cache. Called for each unload, possibly with the loader's locks held, so it must not call the loader.
// Registered when the library is loaded.
using Forget = void (*)(const Gone& gone);
void when_unloaded(Forget forget);

// The object that holds `address` has run its last destructor; the calling thread unmaps it next.
void object_goes(const void* address);

// Invalidates what belongs to objects that were unloaded unnoticed. A few tens of ns if there are none.
void look_for_unloaded();

// Whether the object stays loaded until the process ends: it was there at the start, or its file asks for it
// (DF_1_NODELETE).
bool stays_for_ever(const LoadedObject& object);

// Whether exit() was called: objects run their last destructors then, but stay mapped. Known after the first call of
// register_exit_handler(), which takes the C library's lock.
bool process_is_ending();
void register_exit_handler();
void note_end_of_process();
// `function` is called by the thread that calls exit(). To be set when the library is loaded.
void when_process_ends(void (*function)());

// To be called when the library is loaded.
void note_objects_at_start();
// The number of objects that the process was started with, the first in the loader's list. 0 if Muster itself was
// opened later.
unsigned objects_at_start();

}  // namespace muster
