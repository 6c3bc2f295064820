// OMPT, the runtimes' interface for tools, as far as Muster needs it (OpenMP 5.2, chapter 19).
#pragma once

#include <cstdint>

namespace muster::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

struct Frame {
  Data exit;
  Data enter;
  int exit_flags;
  int enter_flags;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);

struct StartResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};
using StartTool = StartResult* (*)(unsigned version, const char* runtime);

using SyncRegion = void (*)(int kind, int endpoint, Data* region, Data* task, const void* code);

inline constexpr int kBegin = 1;
inline constexpr int kEnd = 2;

inline constexpr int kSyncRegionWait = 16;
inline constexpr int kSyncRegion = 23;
inline constexpr int kLastEvent = 37;  // the highest number in OpenMP 5.2

inline constexpr int kInitialTask = 0x1;
inline constexpr int kImplicitTask = 0x2;
inline constexpr int kExplicitTask = 0x4;

inline constexpr int kAvailable = 2;  // what the queries return with an answer

using SetCallback = int (*)(int event, Function callback);
using GetCallback = int (*)(int event, Function* callback);
using GetState = int (*)(std::uint64_t* wait_id);
using GetTaskInfo = int (*)(int level, int* flags, Data** task, Frame** frame, Data** region,
                            int* thread);
using GetParallelInfo = int (*)(int level, Data** region, int* size);

}  // namespace muster::ompt
