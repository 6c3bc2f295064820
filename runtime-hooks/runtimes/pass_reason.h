// Why an arrival at a barrier was passed to the runtime. Each is counted and reported.
#pragma once

namespace muster {

#define MUSTER_PASS_REASONS(X)                                                        \
  X(kTasks, "tasks")                         /* the barrier has tasks to finish */    \
  X(kLastingTask, "detached or target task") /* pending across barriers */            \
  X(kNoFrame, "no region")                   /* orphaned, or its region is unknown */ \
  X(kUnknownFrame, "unknown region")         /* teams, or another kind */             \
  X(kSerialized, "serialized region")                                                 \
  X(kTeamOfOne, "team of one")                                                        \
  X(kTooManyThreads, "more than 1024 threads")                                        \
  X(kNative, "MUSTER_BARRIER=native")                                                 \
  X(kNoMemory, "no memory")                                                           \
  X(kCancellation, "cancellation")                                                    \
  X(kTool, "OMPT tool")                                                               \
  X(kConsistencyCheck, "consistency check")                                           \
  X(kItt, "ITT")                                                                      \
  X(kThreadSanitizer, "thread sanitizer")                                             \
  X(kNoKey, "no thread-specific key")         /* the process uses them all */         \
  X(kReductionSettings, "reduction settings") /* of the runtime, not supported */     \
  X(kOff, "MUSTER=off")

enum class PassReason {
#define MUSTER_ENUMERATOR(symbol, name) symbol,
  MUSTER_PASS_REASONS(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
      kNone,  // it is replaced
};

inline constexpr const char* kPassReasonNames[] = {
#define MUSTER_NAME(symbol, name) name,
    MUSTER_PASS_REASONS(MUSTER_NAME)
#undef MUSTER_NAME
};

inline constexpr unsigned kPassReasons = sizeof(kPassReasonNames) / sizeof(kPassReasonNames[0]);

constexpr const char* name_of(PassReason reason) {
  return kPassReasonNames[static_cast<unsigned>(reason)];
}

// The barriers that programs call, by symbol, for the report's "by entry point".
#define MUSTER_ENTRIES(X)                                              \
  X(kKmpcBarrier, "__kmpc_barrier")                                    \
  X(kKmpcCancelBarrier, "__kmpc_cancel_barrier")                       \
  X(kGompBarrier, "GOMP_barrier")                                      \
  X(kGompBarrierCancel, "GOMP_barrier_cancel")                         \
  X(kGompLoopEnd, "GOMP_loop_end")                                     \
  X(kGompLoopEndCancel, "GOMP_loop_end_cancel")                        \
  X(kGompSectionsEnd, "GOMP_sections_end")                             \
  X(kGompSectionsEndCancel, "GOMP_sections_end_cancel")                \
  X(kGompTaskReductionEnd, "GOMP_workshare_task_reduction_unregister") \
  X(kKmpcReduce, "__kmpc_reduce")                                      \
  X(kKmpcReduceNowait, "__kmpc_reduce_nowait")                         \
  X(kKmpcEndReduce, "__kmpc_end_reduce")                               \
  X(kKmpcCopyprivate, "__kmpc_copyprivate")                            \
  X(kKmpcCopyprivateLight, "__kmpc_copyprivate_light")                 \
  X(kGompSingleCopyStart, "GOMP_single_copy_start")                    \
  X(kGompSingleCopyEnd, "GOMP_single_copy_end")                        \
  X(kKmpcBarrierMaster, "__kmpc_barrier_master")                       \
  X(kKmpcEndBarrierMaster, "__kmpc_end_barrier_master")                \
  X(kKmpcBarrierMasterNowait, "__kmpc_barrier_master_nowait")

enum class Entry {
#define MUSTER_ENUMERATOR(symbol, name) symbol,
  MUSTER_ENTRIES(MUSTER_ENUMERATOR)
#undef MUSTER_ENUMERATOR
};

inline constexpr const char* kEntryNames[] = {
#define MUSTER_NAME(symbol, name) name,
    MUSTER_ENTRIES(MUSTER_NAME)
#undef MUSTER_NAME
};

inline constexpr unsigned kEntries = sizeof(kEntryNames) / sizeof(kEntryNames[0]);

}  // namespace muster
