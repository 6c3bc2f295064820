// What the runtimes' entry points do in a process without any OpenMP runtime: a serial OpenMP.
#pragma once

namespace muster {

using AnyFunction = void (*)();

// Never null.
AnyFunction serial_function(const char* name);

}  // namespace muster
