// The barrier algorithms, as MUSTER_BARRIER names them. The code behind each name is in barriers/registry.h.
#pragma once

namespace muster {

// One row for each algorithm: enumerator, name.
#define MUSTER_BARRIERS(X)                               \
  X(kFetchAdd, "fetch-add")                              \
  X(kFetchAddXadd, "fetch-add-xadd")                     \
  X(kDistCounter, "dist-counter")                        \
  X(kDistCounterPadded, "dist-counter-padded")           \
  X(kLocalSensor, "local-sensor")                        \
  X(kDistSensor, "dist-sensor")                          \
  X(kDissemination, "dissemination")                     \
  X(kDisseminationOrCounter, "dissemination-or-counter") \
  X(kTree, "tree")                                       \
  X(kNative, "native")                                   \
  X(kAuto, "auto")

enum class BarrierKind {
#define MUSTER_ENUMERATOR(symbol, name) symbol,
  MUSTER_BARRIERS(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
};

inline constexpr const char* kBarrierNames[] = {
#define MUSTER_NAME(symbol, name) name,
    MUSTER_BARRIERS(MUSTER_NAME)
#undef MUSTER_NAME
};

inline constexpr int kBarrierKinds = sizeof(kBarrierNames) / sizeof(kBarrierNames[0]);

constexpr const char* name_of(BarrierKind kind) { return kBarrierNames[static_cast<int>(kind)]; }

}  // namespace muster
