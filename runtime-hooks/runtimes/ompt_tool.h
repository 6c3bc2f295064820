// An OMPT tool that observes a runtime whose explicit and worksharing barriers Muster replaces. The tool gets every
// event from the runtime, except those of the barriers that Muster executes: Muster calls the tool's sync_region and
// sync_region_wait for these.
//
// Muster gets between them where the runtime starts the tool. Until the runtime is initialized, its references to
// ompt_start_tool and dlsym lead here, so the tool is looked for in the runtime's own order and way, and each tool is
// called as often as without Muster. What the tool passes to ompt_set_callback for the two events is kept here; the
// runtime has Muster's functions, which call the tool's.
//
// The kind of a barrier and the state of a thread that waits at it differ between versions of the runtimes. They are
// not known here but learned: the first barrier with given flags in its source location is the runtime's, and what it
// reports is used from then on. Its team agrees on that as it does about tasks (barrier_gate.h).
#pragma once

#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/runtimes/abi.h"
#include "runtime-hooks/runtimes/ompt_abi.h"

namespace muster {

enum class ToolStart {
  kNone,      // there is no tool, or it does not want to observe
  kObserves,  // and gets its events
  kNotServed,  // the runtime's own barriers must stay: it was started before Muster came, or not_served() tells
};

// To be called before the runtime is initialized, which any call of it may do: when the library is loaded, for the
// runtime that is there. One runtime of the process can be observed. `dlsym_thunk` jumps to dlsym_for() its first
// argument; null: as before.
void expect_tool_of(const LoadedObject& runtime, ompt::Function dlsym_thunk);
ompt::Function dlsym_for(const void* library);

// Initializes a runtime that may find a tool, in any case.
ToolStart start_tool_of(const LoadedObject& runtime, int (*initialize)());

// The object that the tool is in, null without a tool that gets its events from Muster; the empty string: the program.
const char* tool_path();
// The number of the event that the tool registered and that Muster does not know, else 0.
int tool_event_not_served();

// For when_unloaded() (objects/unloading.h). No tool is served after that.
void forget_tool(const Gone& gone);

// In the child of a fork.
void tool_after_fork();

namespace ompt {

// The calling thread's task, as the runtime tells it.
struct Task {
  int flags = 0;
  Data* task = nullptr;
  Data* region = nullptr;
  Frame* frame = nullptr;
  int thread = 0;
  int team_size = 0;

  bool is_implicit() const { return (flags & kImplicitTask) != 0; }
};
// False where the runtime has no answer, as after the tool's end.
bool current_task(Task& task);

// Barriers whose source location has the same flags are of one class.
unsigned class_of(const abi::Ident* where);
bool is_learned(unsigned barrier_class);
// The calling thread's next barrier is the runtime's, which tells the kind of that class.
void learn(unsigned barrier_class);

// One barrier that Muster executes: calls the tool at its begin and end.
class BarrierEvents {
 public:
  // `enter_frame` is the frame address that the runtime's function would have.
  BarrierEvents(const Task& task, unsigned barrier_class, const void* code, void* enter_frame);
  void end();
  // The runtime executes the barrier after all. It will report its begin, which the tool knows already.
  void leave_to_runtime();

 private:
  void call(int event, int endpoint) const;

  const Task& task_;
  const void* const code_;
  const int kind_;
};

}  // namespace ompt

}  // namespace muster
