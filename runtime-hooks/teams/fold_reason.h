// Why a region was not folded, and why an open fold was closed. Both are counted and reported
// (docs/understand/folding.md).
#pragma once

namespace muster {

// Regions that the real runtime forked.
#define MUSTER_UNFOLDED_REASONS(X)                                                                \
  X(kOff, "MUSTER_FORKJOIN=off")                                                                  \
  X(kTooFew, "too few in a row")      /* auto waits for two before it opens */                    \
  X(kClosedOften, "closed too often") /* auto: folds were closed before they paid */              \
  X(kInsideRegion, "inside another region")                                                       \
  X(kInRuntimeCall, "inside a runtime call") /* a task, a target region, a clause's code */       \
  X(kDisplay, "affinity displayed")          /* OMP_DISPLAY_AFFINITY */                           \
  X(kTargetTasks, "target tasks")            /* of the runtime: anybody may run them, anywhere */ \
  X(kClause, "a clause")                     /* proc_bind and the like: for one region only */    \
  X(kDynamic, "dynamic adjustment")          /* the runtime may choose another size each time */  \
  X(kTeamOfOne, "team of one")                                                                    \
  X(kNotReplaced, "barriers not replaced")   /* native, too many threads, no memory */            \
  X(kUnknownEntries, "unknown entry points") /* the runtime has some that no list knows */        \
  X(kNoStart, "no GOMP_parallel_start")                                                           \
  X(kOtherKind, "another kind of region") /* an entry point that is never folded */               \
  X(kEnding, "the thread is ending")

#define MUSTER_CLOSED_REASONS(X)                                                      \
  X(kCall, "runtime call")       /* from the serial part, as the entry point names */ \
  X(kSetting, "setting changed") /* by a region's code: closed at the region's end */ \
  X(kSize, "other team size")                                                         \
  X(kClause, "a clause")                                                              \
  X(kOtherKind, "another kind of region")                                             \
  X(kOtherRuntime, "another runtime")                                                 \
  X(kLastingTask, "detached or target task")                                          \
  X(kFork, "fork")                                                                    \
  X(kEnd, "end") /* of the program, or of the thread */

#define MUSTER_ENUMERATOR(symbol, name) symbol,
enum class Unfolded { MUSTER_UNFOLDED_REASONS(MUSTER_ENUMERATOR) kNone };  // kNone: it is folded
enum class Closed { MUSTER_CLOSED_REASONS(MUSTER_ENUMERATOR) };
#undef MUSTER_ENUMERATOR

#define MUSTER_NAME(symbol, name) name,
inline constexpr const char* kUnfoldedNames[] = {MUSTER_UNFOLDED_REASONS(MUSTER_NAME)};
inline constexpr const char* kClosedNames[] = {MUSTER_CLOSED_REASONS(MUSTER_NAME)};
#undef MUSTER_NAME

inline constexpr unsigned kUnfoldedReasons = sizeof(kUnfoldedNames) / sizeof(kUnfoldedNames[0]);
inline constexpr unsigned kClosedReasons = sizeof(kClosedNames) / sizeof(kClosedNames[0]);

constexpr const char* name_of(Unfolded reason) {
  return kUnfoldedNames[static_cast<unsigned>(reason)];
}
constexpr const char* name_of(Closed reason) { return kClosedNames[static_cast<unsigned>(reason)]; }

}  // namespace muster
