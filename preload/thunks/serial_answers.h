// The results of the queries in answered.txt for the serial part of a program. Used while a fold is open, when the
// runtime would describe the region that is kept open, and in a process without an OpenMP runtime.
#pragma once

namespace muster {

using AnyFunction = void (*)();

// Indexed by the thunks' numbers: the function for the serial part, null for most.
extern const AnyFunction kSerialAnswers[];

}  // namespace muster
