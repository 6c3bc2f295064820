#include "runtime-hooks/runtimes/ompt_tool.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "runtime-hooks/objects/relocated_words.h"

namespace muster {
namespace {

using namespace ompt;

// What the thread expects of the runtime's next barrier.
struct ThreadNotes {
  int state = 0;              // the state that ompt_get_state returns, unless 0
  bool knows_begin = false;   // the next begin of a sync_region has been reported
  bool knows_wait = false;    // the same of a sync_region_wait
  unsigned learns = 0;        // the class of the next barrier plus 1, or 0
  bool learns_begun = false;  // that barrier's begin was seen, with these two
  int learned_kind = 0;
  const void* learned_code = nullptr;
};
thread_local constinit ThreadNotes t_notes __attribute__((tls_model("initial-exec")));

// Of the one runtime that is observed. Written while it is initialized, in one thread.
struct Observed {
  LoadedObject runtime;
  StartTool library_start = nullptr;  // of the library that the runtime has just opened
  bool asked = false;                 // the runtime has looked for a tool
  StartResult* tool = nullptr;
  char tool_path[1024] = {};  // a copy: the runtime may unload the tool
  bool active = false;
  Lookup lookup = nullptr;
  SetCallback set_callback = nullptr;
  GetCallback get_callback = nullptr;
  GetState get_state = nullptr;
  GetTaskInfo get_task_info = nullptr;
  GetParallelInfo get_parallel_info = nullptr;
};
constinit Observed g_observed;
constinit std::atomic<bool> g_taken{false};
constinit std::atomic<bool> g_restored{false};
Function g_dlsym_thunk = nullptr;
RedirectedSymbol g_starts;
RedirectedSymbol g_lookups;
constinit std::atomic<int> g_event_not_served{0};
constinit std::atomic<SyncRegion> g_sync_region{nullptr};
constinit std::atomic<SyncRegion> g_sync_region_wait{nullptr};

// The kind of a barrier and the state of a thread that waits at it, in halves; 0: not learned.
constexpr unsigned kClasses = 16;
constexpr int kHalf = 16;
constinit std::atomic<std::uint64_t> g_learned[kClasses] = {};

std::atomic<SyncRegion>* slot_of(int event) {
  if (event == kSyncRegion) return &g_sync_region;
  return event == kSyncRegionWait ? &g_sync_region_wait : nullptr;
}

void report(int event, int kind, int endpoint, Data* region, Data* task, const void* code) {
  const SyncRegion function = slot_of(event)->load(std::memory_order_acquire);
  if (function != nullptr) function(kind, endpoint, region, task, code);
}

bool takes(bool& expected, int endpoint) {
  if (!expected || endpoint != kBegin) return false;
  expected = false;
  return true;
}

// The barrier that the thread learns from begins and ends. Its tasks may have other events in between.
void learn_from(int kind, int endpoint, const void* code) {
  ThreadNotes& notes = t_notes;
  if (endpoint == kBegin && !notes.learns_begun) {
    notes.learns_begun = true;
    notes.learned_kind = kind;
    notes.learned_code = code;
  } else if (endpoint == kEnd && notes.learns_begun && kind == notes.learned_kind &&
             code == notes.learned_code) {
    const auto state = static_cast<std::uint64_t>(g_observed.get_state(nullptr));
    g_learned[notes.learns - 1].store(static_cast<std::uint64_t>(kind) | state << kHalf,
                                      std::memory_order_release);
    notes.learns = 0;
    notes.learns_begun = false;
  }
}

// The runtime's callbacks.
void on_sync_region(int kind, int endpoint, Data* region, Data* task, const void* code) {
  if (takes(t_notes.knows_begin, endpoint)) return;
  if (t_notes.learns != 0) learn_from(kind, endpoint, code);
  report(kSyncRegion, kind, endpoint, region, task, code);
}
void on_sync_region_wait(int kind, int endpoint, Data* region, Data* task, const void* code) {
  if (takes(t_notes.knows_wait, endpoint)) return;
  report(kSyncRegionWait, kind, endpoint, region, task, code);
}
Function callback_of(int event) {
  return reinterpret_cast<Function>(event == kSyncRegion ? on_sync_region : on_sync_region_wait);
}

// What the tool gets instead of the runtime's functions.
int set_callback(int event, Function callback) {
  if (std::atomic<SyncRegion>* slot = slot_of(event); slot != nullptr) {
    slot->store(reinterpret_cast<SyncRegion>(callback), std::memory_order_release);
    return g_observed.set_callback(event, callback_of(event));
  }
  const int result = g_observed.set_callback(event, callback);
  constexpr int kError = 0;
  if (event > kLastEvent && callback != nullptr && result != kError)
    g_event_not_served.store(event, std::memory_order_relaxed);
  return result;
}
int get_callback(int event, Function* callback) {
  const std::atomic<SyncRegion>* slot = slot_of(event);
  const int result = g_observed.get_callback(event, callback);
  if (slot == nullptr || result == 0) return result;
  const SyncRegion function = slot->load(std::memory_order_acquire);
  if (function == nullptr) return 0;
  *callback = reinterpret_cast<Function>(function);
  return result;
}
int get_state(std::uint64_t* wait_id) {
  const int state = g_observed.get_state(wait_id);
  return t_notes.state != 0 ? t_notes.state : state;
}
Function look_up(const char* name) {
  if (std::strcmp(name, "ompt_set_callback") == 0) return reinterpret_cast<Function>(set_callback);
  if (std::strcmp(name, "ompt_get_callback") == 0) return reinterpret_cast<Function>(get_callback);
  if (std::strcmp(name, "ompt_get_state") == 0) return reinterpret_cast<Function>(get_state);
  return g_observed.lookup(name);
}

template <class Type>
void find(Type& function, const char* name) {
  function = reinterpret_cast<Type>(g_observed.lookup(name));
}

int initialize(Lookup lookup, int device, Data*) {
  g_observed.lookup = lookup;
  find(g_observed.set_callback, "ompt_set_callback");
  find(g_observed.get_callback, "ompt_get_callback");
  find(g_observed.get_state, "ompt_get_state");
  find(g_observed.get_task_info, "ompt_get_task_info");
  find(g_observed.get_parallel_info, "ompt_get_parallel_info");
  StartResult& tool = *g_observed.tool;
  const bool complete = g_observed.set_callback != nullptr && g_observed.get_callback != nullptr &&
                        g_observed.get_state != nullptr && g_observed.get_task_info != nullptr &&
                        g_observed.get_parallel_info != nullptr;
  const int result = tool.initialize(complete ? look_up : lookup, device, &tool.tool);
  if (result == 0) {
    g_observed.tool = nullptr;
  } else if (complete) {
    for (const int event : {kSyncRegion, kSyncRegionWait})
      g_observed.set_callback(event, callback_of(event));
    g_observed.active = true;
  }
  return result;
}

void finalize(Data*) { g_observed.tool->finalize(&g_observed.tool->tool); }

StartResult* started(StartTool start, unsigned version, const char* runtime) {
  static constinit StartResult ours = {};
  g_observed.asked = true;
  StartResult* tool = start != nullptr ? start(version, runtime) : nullptr;
  if (tool == nullptr) return nullptr;
  g_observed.tool = tool;
  const LoadedObject object = object_of(reinterpret_cast<const void*>(start));
  std::strncpy(g_observed.tool_path, object.path, sizeof(g_observed.tool_path) - 1);
  ours.initialize = initialize;
  ours.finalize = tool->finalize != nullptr ? finalize : nullptr;
  return &ours;
}

bool is_runtime(const LoadedObject& object) {
  return defined_by(object, "__kmpc_fork_call") != nullptr;
}

// In place of the runtime's reference to ompt_start_tool: the first definition that is not a runtime's, which would
// look for the next one.
StartResult* start_tool(unsigned version, const char* runtime) {
  void* found = address_without_muster(g_observed.runtime, "ompt_start_tool");
  if (found == nullptr || is_runtime(object_of(found)))
    found = global_definition("ompt_start_tool", is_runtime);
  return started(reinterpret_cast<StartTool>(found), version, runtime);
}

StartResult* start_tool_of_library(unsigned version, const char* runtime) {
  return started(g_observed.library_start, version, runtime);
}

// In place of its reference to dlsym, with which it finds the tools of OMP_TOOL_LIBRARIES.
void* find_symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr || std::strcmp(name, "ompt_start_tool") != 0) return found;
  g_observed.library_start = reinterpret_cast<StartTool>(found);
  return reinterpret_cast<void*>(start_tool_of_library);
}

}  // namespace

Function dlsym_for(const void* library) {
  const bool depends_on_caller = library == RTLD_NEXT || library == RTLD_DEFAULT;
  return depends_on_caller ? reinterpret_cast<Function>(dlsym)
                           : reinterpret_cast<Function>(find_symbol);
}

// In this order: another thread may initialize the runtime meanwhile, and if it asks here at all, it does so for all
// tools.
void expect_tool_of(const LoadedObject& runtime, Function dlsym_thunk) {
  if (dlsym_thunk != nullptr) g_dlsym_thunk = dlsym_thunk;
  if (g_dlsym_thunk == nullptr || g_taken.exchange(true, std::memory_order_acq_rel)) return;
  g_observed.runtime = runtime;
  g_lookups.redirect(runtime, "dlsym", reinterpret_cast<const void*>(g_dlsym_thunk));
  g_starts.redirect(runtime, "ompt_start_tool", reinterpret_cast<const void*>(start_tool));
}

ToolStart start_tool_of(const LoadedObject& runtime, int (*initialize_runtime)()) {
  expect_tool_of(runtime, nullptr);
  initialize_runtime();
  if (g_observed.runtime.begin == runtime.begin && !g_restored.exchange(true)) {
    g_starts.restore();
    g_lookups.restore();
  }
  if (g_observed.runtime.begin != runtime.begin || !g_observed.asked) return ToolStart::kNotServed;
  if (g_observed.tool == nullptr) return ToolStart::kNone;
  const bool served = g_observed.active && tool_event_not_served() == 0;
  return served ? ToolStart::kObserves : ToolStart::kNotServed;
}

const char* tool_path() { return g_observed.active ? g_observed.tool_path : nullptr; }

int tool_event_not_served() { return g_event_not_served.load(std::memory_order_relaxed); }

void forget_tool(const Gone& gone) {
  if (!gone(g_observed.runtime.begin)) return;
  g_observed.runtime = {};
  g_observed.active = false;
}

void tool_after_fork() { t_notes = {}; }

namespace ompt {

bool current_task(Task& task) {
  return g_observed.get_task_info(0, &task.flags, &task.task, &task.frame, &task.region,
                                  &task.thread) == kAvailable &&
         g_observed.get_parallel_info(0, &task.region, &task.team_size) == kAvailable;
}

unsigned class_of(const abi::Ident* where) {
  constexpr unsigned kShift =
      5;  // KMP_IDENT_BARRIER_EXPL, then the kinds of KMP_IDENT_BARRIER_IMPL
  if (where == nullptr) return 0;
  return (static_cast<unsigned>(where->flags) >> kShift) % kClasses;
}

bool is_learned(unsigned barrier_class) {
  return g_learned[barrier_class].load(std::memory_order_acquire) != 0;
}

void learn(unsigned barrier_class) {
  t_notes.learns = barrier_class + 1;
  t_notes.learns_begun = false;
}

BarrierEvents::BarrierEvents(const Task& task, unsigned barrier_class, const void* code,
                             void* enter_frame)
    : task_(task),
      code_(code),
      kind_(static_cast<int>(g_learned[barrier_class].load(std::memory_order_acquire) &
                             ((1U << kHalf) - 1))) {
  if (task.frame->enter.pointer == nullptr) task.frame->enter.pointer = enter_frame;
  t_notes.knows_begin = t_notes.knows_wait = false;
  t_notes.learns = 0;
  call(kSyncRegion, kBegin);
  call(kSyncRegionWait, kBegin);
  t_notes.state =
      static_cast<int>(g_learned[barrier_class].load(std::memory_order_relaxed) >> kHalf);
}

void BarrierEvents::call(int event, int endpoint) const {
  report(event, kind_, endpoint, task_.region, task_.task, code_);
}

void BarrierEvents::end() {
  call(kSyncRegionWait, kEnd);
  call(kSyncRegion, kEnd);
  t_notes.state = 0;
  task_.frame->enter.pointer = nullptr;
}

void BarrierEvents::leave_to_runtime() {
  t_notes.state = 0;
  t_notes.knows_begin = t_notes.knows_wait = true;
  task_.frame->enter.pointer = nullptr;
}

}  // namespace ompt

}  // namespace muster
