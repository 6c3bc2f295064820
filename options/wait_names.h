// The waiting policies, as MUSTER_WAIT names them. `<n>us` stands for a number of microseconds.
#pragma once

namespace muster {

// One row for each policy:
//   enumerator
//   name
//   class               waiting/any_policy.h holds one of it
//   thousandths         with FixedTime: spin for so many thousandths of a context switch (waiting/fixed_time.h)
//   needs_calibration   uses the measured cost of a context switch or of a wake-up (waiting/calibration.h)
#define MUSTER_WAITS(X)                                \
  X(kSpin, "spin", Spin, 0, false)                     \
  X(kBlock, "block", Block, 0, false)                  \
  X(kCs, "cs", FixedTime, 1000, true)                  \
  X(kCsPlus, "cs+", FixedTime, 1200, true)             \
  X(kTwoCsPlus, "2cs+", FixedTime, 2200, true)         \
  X(kExponential, "exponential", FixedTime, 541, true) \
  X(kUniform, "uniform", FixedTime, 618, true)         \
  X(kRandom, "random", Random, 0, true)                \
  X(kConditional, "conditional", Conditional, 0, true) \
  X(kYield, "yield", Yield, 0, false)                  \
  X(kMicroseconds, "<n>us", FixedTime, 0, false)       \
  X(kAuto, "auto", AutoWait, 0, false)

enum class WaitKind {
#define MUSTER_ENUMERATOR(symbol, ...) symbol,
  MUSTER_WAITS(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
};

inline constexpr const char* kWaitNames[] = {
#define MUSTER_NAME(symbol, name, ...) name,
    MUSTER_WAITS(MUSTER_NAME)
#undef MUSTER_NAME
};

inline constexpr int kWaitKinds = sizeof(kWaitNames) / sizeof(kWaitNames[0]);

constexpr const char* name_of(WaitKind kind) { return kWaitNames[static_cast<int>(kind)]; }

struct WaitRow {
  unsigned thousandths_of_switch;
  bool needs_calibration;
};

inline constexpr WaitRow kWaitRows[] = {
#define MUSTER_ROW(symbol, name, policy, thousandths, calibrated) {thousandths, calibrated},
    MUSTER_WAITS(MUSTER_ROW)
#undef MUSTER_ROW
};

constexpr unsigned thousandths_of_switch(WaitKind kind) {
  return kWaitRows[static_cast<int>(kind)].thousandths_of_switch;
}

constexpr bool needs_calibration(WaitKind kind) {
  return kWaitRows[static_cast<int>(kind)].needs_calibration;
}

}  // namespace muster
