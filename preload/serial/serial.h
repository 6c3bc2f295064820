// What the runtimes' entry points do in a process without any OpenMP runtime: a serial OpenMP.
#pragma once

namespace muster {

using AnyFunction = void (*)();

// By the name of the entry point. Never null. Says once that there is no runtime, with MUSTER_VERBOSE.
AnyFunction serial_function(const char* name);

// For a call of a name that nobody has, from code at `caller`.
AnyFunction function_for_missing(const char* name, const void* caller);

}  // namespace muster
