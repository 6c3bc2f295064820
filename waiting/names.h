// The names of the waiting policies, as MUSTER_WAIT spells them, and of the ways to yield. `<n>us` is the one that is not a
// fixed word: a number of microseconds.
#pragma once

namespace muster {

// One line a policy: enumerator, name, class (in the header of that name; barriers/registry.h brings
// the two together).
#define MUSTER_WAITS(X)                       \
  X(kSpin, "spin", Spin)                      \
  X(kBlock, "block", Block)                   \
  X(kCs, "cs", Cs)                            \
  X(kCsPlus, "cs+", CsPlus)                   \
  X(kTwoCsPlus, "2cs+", TwoCsPlus)            \
  X(kExponential, "exponential", Exponential) \
  X(kUniform, "uniform", Uniform)             \
  X(kRandom, "random", Random)                \
  X(kConditional, "conditional", Conditional) \
  X(kYield, "yield", Yield)                   \
  X(kMicroseconds, "<n>us", FixedTime)        \
  X(kAuto, "auto", AutoWait)

enum class WaitKind {
#define MUSTER_ENUMERATOR(symbol, name, policy) symbol,
  MUSTER_WAITS(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
};

inline constexpr const char* kWaitNames[] = {
#define MUSTER_NAME(symbol, name, policy) name,
    MUSTER_WAITS(MUSTER_NAME)
#undef MUSTER_NAME
};

inline constexpr int kWaitKinds = sizeof(kWaitNames) / sizeof(kWaitNames[0]);

constexpr const char* name_of(WaitKind kind) { return kWaitNames[static_cast<int>(kind)]; }

#define MUSTER_WAIT_VALUES \
  "auto|spin|block|cs|cs+|2cs+|exponential|uniform|random|conditional|<n>us|yield"

// What a sched_yield of the runtime's does, as MUSTER_YIELD spells it (waiting/runtime_yield.h).
enum class YieldKind { kAuto, kNative, kSkip, kAdaptive };

inline constexpr const char* kYieldNames[] = {"auto", "native", "skip", "adaptive"};

inline constexpr int kYieldKinds = sizeof(kYieldNames) / sizeof(kYieldNames[0]);

constexpr const char* name_of(YieldKind kind) { return kYieldNames[static_cast<int>(kind)]; }

#define MUSTER_YIELD_VALUES "auto|native|skip|adaptive"

}  // namespace muster
