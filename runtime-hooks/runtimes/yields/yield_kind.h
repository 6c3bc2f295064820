// What a runtime's call of sched_yield does, as MUSTER_YIELD spells it (runtime_yield.h).
#pragma once

namespace muster {

enum class YieldKind { kAuto, kNative, kSkip, kAdaptive };

inline constexpr const char* kYieldNames[] = {"auto", "native", "skip", "adaptive"};

inline constexpr int kYieldKinds = sizeof(kYieldNames) / sizeof(kYieldNames[0]);

constexpr const char* name_of(YieldKind kind) { return kYieldNames[static_cast<int>(kind)]; }

#define MUSTER_YIELD_VALUES "auto|native|skip|adaptive"

}  // namespace muster
