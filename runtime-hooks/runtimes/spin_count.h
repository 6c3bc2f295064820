// libgomp's spin count: how often a thread polls before it sleeps, wherever it waits in libgomp itself. That is in regions
// and at barriers which Muster leaves to it, and between two of its regions.
//
// By default it is 300,000, which takes 5 to 15 ms: on a busy CPU, and wherever another thread of the program needs that
// CPU, far more than the sleep would. Muster sets it to 2,000, some 50 us, as Peter et al., section 3, spin. Whether a
// thread polls or sleeps changes nothing but time.
//
// libgomp computes the count when it is loaded, and keeps it in a variable that it does not export. It is found by its
// value, so it is left alone where the user has chosen one (OMP_WAIT_POLICY, GOMP_SPINCOUNT).
#pragma once

#include <cstdint>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

// libgomp's defaults: of a process with no more threads than CPUs, and of one with more (libgomp/env.c, gcc 7 to 16).
inline constexpr std::uint64_t kDefaultSpins = 300'000;
inline constexpr std::uint64_t kThrottledSpins = 100;
// What Muster sets: 35 to 100 us, by the CPU's pause.
inline constexpr std::uint64_t kShortSpins = 2'000;

// The variable among the words from `begin` to `end`: the only one with the first default, near one with the second.
// Null if there is no such word, or more than one.
std::uint64_t* find_spin_count(std::uint64_t* begin, std::uint64_t* end);

// The variable of a libgomp that is loaded; null if it is not found. Some us; holds the lock of the loader's list.
std::uint64_t* spin_count_of(const LoadedObject& libgomp);

}  // namespace muster
