// The types in the signatures of the OpenMP runtimes' entry points, as far as Muster must know
// them: it passes nearly everything through unread.
#pragma once

#include <cstdint>

namespace muster::abi {

struct Ident;  // a source location, libomp's ident_t
struct Task;   // libomp's kmp_task_t

using GlobalThread = std::int32_t;
using Flags32 = std::int32_t;

// An outlined parallel region of clang: thread numbers by pointer, then `argc` pointer-sized
// arguments.
using Microtask = void (*)(GlobalThread* global, std::int32_t* bound, ...);
// An outlined parallel region of gcc.
using GompRegion = void (*)(void* data);

}  // namespace muster::abi
