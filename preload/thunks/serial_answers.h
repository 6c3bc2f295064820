// What the queries of answered.txt answer in the serial part of a program: while a fold is open, when
// the runtime would tell of the region underneath; and where no OpenMP runtime is there to be asked.
#pragma once

namespace muster {

using AnyFunction = void (*)();

// For each thunk, by its number, its function for the serial part; null for most.
extern const AnyFunction kSerialAnswers[];

}  // namespace muster
