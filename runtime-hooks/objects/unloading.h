// Objects that leave the process while it goes on (dlclose). Whatever Muster remembers of an object goes
// with it: at its place another one may be mapped a moment later. docs/understand/transparency.md, "A runtime
// that goes away".
#pragma once

#include <cstdint>

namespace muster {

struct LoadedObject;

// Tells whether an address belongs to an object that has gone, or is just going.
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

// Who remembers something: called for whatever goes, possibly with the loader's locks held, so it must
// not ask the loader for anything. Registered when the library is loaded.
using Forget = void (*)(const Gone& gone);
void when_unloaded(Forget forget);

// The object that holds `address` has run its last destructor and will be unmapped next, by the calling
// thread.
void object_goes(const void* address);

// Forgets what has gone unseen. A few tens of ns where nothing has.
void look_for_unloaded();

// Whether the object is loaded for as long as the process lives: it was there when that began, or its
// file asks for it (DF_1_NODELETE).
bool stays_for_ever(const LoadedObject& object);

// Whether somebody has called exit(): then objects run their last destructors, and stay. From the first
// call of watch_end_of_process(), which takes the C library's lock.
bool process_is_ending();
void watch_end_of_process();
void note_end_of_process();
// `function` is called then, by the thread that calls exit(). When the library is loaded.
void when_process_ends(void (*function)());

// When the library is loaded.
void note_objects_at_start();
// So many of the loader's list were there when the process began. 0 where Muster was opened later itself.
unsigned objects_at_start();

}  // namespace muster
