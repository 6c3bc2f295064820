// Why a region was not folded, and why a fold was closed. Both are counted and reported (docs/understand/folding.md).
#pragma once

namespace muster {

// Why the runtime forked a region.
#define MUSTER_UNFOLDED_REASONS(X)                                                               \
  X(kOff, "MUSTER_FORKJOIN=off")                                                                 \
  X(kTooFew, "too few in a row")      /* auto opens at the third */                              \
  X(kClosedOften, "closed too often") /* auto: folds were closed before they paid off */         \
  X(kInsideRegion, "inside another region")                                                      \
  X(kInRuntimeCall, "inside a runtime call") /* a task, a target region, code of a clause */     \
  X(kDisplay, "affinity displayed")          /* OMP_DISPLAY_AFFINITY */                          \
  X(kTargetTasks, "target tasks")            /* of the runtime: any thread may run them */       \
  X(kClause, "a clause")                     /* proc_bind and others that are for one region */  \
  X(kDynamic, "dynamic adjustment")          /* the runtime may choose a size for each region */ \
  X(kTeamOfOne, "team of one")                                                                   \
  X(kNotReplaced, "barriers not replaced")   /* native, too many threads, no memory */           \
  X(kUnknownEntries, "unknown entry points") /* the runtime has some that are in no list */      \
  X(kPastMuster, "reached past Muster")      /* RTLD_DEEPBIND, where that could not be mended */ \
  X(kNoStart, "no GOMP_parallel_start")                                                          \
  X(kOtherKind, "another kind of region") /* an entry point whose regions are never folded */    \
  X(kEnding, "the thread is ending")                                                             \
  X(kThreadsLost, "threads lost in fork") /* libgomp's: the region has one thread */

#define MUSTER_CLOSED_REASONS(X)                                                         \
  X(kCall, "runtime call")       /* from the serial part, which the entry point names */ \
  X(kSetting, "setting changed") /* by code of a region: closed at its end */            \
  X(kSize, "other team size")                                                            \
  X(kClause, "a clause")                                                                 \
  X(kOtherKind, "another kind of region")                                                \
  X(kOtherRuntime, "another runtime")                                                    \
  X(kLastingTask, "detached or target task")                                             \
  X(kFork, "fork")                                                                       \
  X(kEnd, "end") /* of the program, or of the thread */

#define MUSTER_ENUMERATOR(symbol, name) symbol,
enum class Unfolded { MUSTER_UNFOLDED_REASONS(MUSTER_ENUMERATOR) kFolded };
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
