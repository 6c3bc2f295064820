// Which object makes a call is not always seen from its return address: a function that ends with a call may jump to
// the runtime, and the return address is then libffi's, the loader's, another object's or in no object. With two
// runtimes, such a call must not go by it. So the words through which an object calls the runtimes, which the loader
// has set to Muster's thunks, are set anew: to the thunks in the bank of the runtime that the object is bound to
// (runtimes/thunk_banks.h). After that, the return address of its calls does not matter.
//
// An object's words are set before the next dlopen, or at its first call, whichever comes first. All objects that one
// dlopen loads have one scope. So at a first call, the objects whose words are not yet set are bound to one runtime.
//
// The words of a runtime that has a bank, of what it exports itself, are set to its own functions: these may end with
// such a jump, too.
//
// Words keep Muster's usual thunks, which go by the return address, if they are bound to a tool or to a version of a
// function other than the default one, and where there are no banks left. So do pointers that dlsym returned.
#pragma once

#include <cstdint>

#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"

namespace muster {

struct RangeInBank {
  unsigned bank = 0;
  std::uintptr_t begin = 0;  // all calls of the same name that return to there are in the bank
  std::uintptr_t size = 0;
};
// The bank of a call of one of Muster's usual thunks: that of the object which made it, as its first one; or of the
// definition to which a pointer from dlsym would lead, which is looked up once for an object or a page of code in no
// object. 0: the object that holds the return address goes by its own references or is a runtime.
RangeInBank bank_for_call(unsigned thunk, const void* return_address);

// The bank that holds a thunk; 0: it is no bank's.
unsigned bank_with(std::uintptr_t thunk);

// The bank of a runtime: the one that it has, or if `may_give` a free one; else 0.
unsigned bank_of_runtime(const LoadedObject& runtime, bool may_give);

// The bank of the runtime of which `function` is the default definition of that name. 0: it is another's, or no bank is
// left.
unsigned bank_of_definition(void* function, const char* name);

// The code of a bank's thunk.
std::uintptr_t bank_thunk(unsigned bank, unsigned thunk);

// To be called before the thread loads a file, with its name or null. A few tens of ns if none were loaded since.
void bind_loaded_objects(const char* next);

// From now on, words that are bound to a runtime past Muster are looked for in the objects that are loaded. Others have
// none.
void look_past_muster();
// `name` leads to a runtime past Muster.
void fold_no_more(const char* name);

void forget_bound_objects(const Gone& gone);
void bound_objects_after_fork();

}  // namespace muster
