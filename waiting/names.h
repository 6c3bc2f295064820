// The names of the waiting policies, as MUSTER_WAIT spells them. `<n>us` is the one that is not a
// fixed word: a number of microseconds.
#pragma once

namespace muster {

// One line a policy: enumerator, name.
#define MUSTER_WAITS(X)     \
  X(kSpin, "spin")          \
  X(kBlock, "block")        \
  X(kCs, "cs")              \
  X(kCsPlus, "cs+")         \
  X(kTwoCsPlus, "2cs+")     \
  X(kYield, "yield")        \
  X(kMicroseconds, "<n>us") \
  X(kAuto, "auto")

enum class WaitKind {
#define MUSTER_ENUMERATOR(symbol, name) symbol,
  MUSTER_WAITS(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
};

inline constexpr const char* kWaitNames[] = {
#define MUSTER_NAME(symbol, name) name,
    MUSTER_WAITS(MUSTER_NAME)
#undef MUSTER_NAME
};

inline constexpr int kWaitKinds = sizeof(kWaitNames) / sizeof(kWaitNames[0]);

constexpr const char* name_of(WaitKind kind) { return kWaitNames[static_cast<int>(kind)]; }

#define MUSTER_WAIT_VALUES "auto|spin|block|cs|cs+|2cs+|<n>us|yield"

}  // namespace muster
