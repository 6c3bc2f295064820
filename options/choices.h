// The choices of the smaller options.
#pragma once

namespace muster {

// MUSTER_YIELD: what a sched_yield called by an OpenMP runtime or by OpenBLAS does, and whether libgomp spins as long as
// it would (kNative).
enum class YieldKind { kAuto, kNative, kAdaptive };
inline constexpr const char* kYieldNames[] = {"auto", "native", "adaptive"};

// MUSTER_FORKJOIN: when Muster forks and joins parallel regions itself.
enum class ForkJoin { kAuto, kOn, kOff };
inline constexpr const char* kForkJoinNames[] = {"auto", "on", "off"};

// MUSTER_FORK: what a region of libgomp does in the child of a fork whose parent's thread had a team.
enum class AfterFork { kSerial, kNative };
inline constexpr const char* kAfterForkNames[] = {"serial", "native"};

}  // namespace muster
