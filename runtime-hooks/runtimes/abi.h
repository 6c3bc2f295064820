// The types in the signatures of the OpenMP runtimes' entry points, as far as Muster needs them: it passes nearly all
// arguments through unread.
#pragma once

#include <cstdint>

namespace muster::abi {

// A source location, libomp's ident_t; more follows.
struct Ident {
  std::int32_t reserved;
  std::int32_t flags;
};
struct Task;          // libomp's kmp_task_t
struct CriticalName;  // a critical section's lock

using GlobalThread = std::int32_t;
using Flags32 = std::int32_t;

// An outlined parallel region of clang: thread numbers by pointer, then `argc` pointer-sized
// arguments.
using Microtask = void (*)(GlobalThread* global, std::int32_t* bound, ...);
// Of a reduction: combines `from` into `into`, lists of pointers to a thread's private variables.
// Of copyprivate: copies `from` to `into`.
using Combine = void (*)(void* into, void* from);
// An outlined parallel region of gcc.
using GompRegion = void (*)(void* data);

}  // namespace muster::abi
