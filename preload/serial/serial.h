// A serial OpenMP: what the runtimes' entry points do in a process without an OpenMP runtime.
#pragma once

namespace muster {

using AnyFunction = void (*)();

// The function for an entry point. Never null. With MUSTER_VERBOSE, prints once that there is no runtime.
AnyFunction serial_function(const char* name);

// The function for a name that no runtime defines, called from code at `caller`.
AnyFunction function_for_missing(const char* name, const void* caller);

}  // namespace muster
