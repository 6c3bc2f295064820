// The calls that Muster handles if an OMPT tool observes the runtime: __kmpc_barrier, and those that create tasks. What
// goes on to the runtime does so by a jump, with the program's return address and frame.
#pragma once

namespace muster {

struct Runtime;

// Jumps to dlsym, or to what finds a tool instead (runtimes/ompt_tool.h).
extern "C" __attribute__((visibility("hidden"))) void muster_thunk_dlsym();

// What a call of `name` jumps to, given that it would reach `function` without Muster: the same, or a thunk.
void* observed_call(Runtime& runtime, const char* name, void* function);

}  // namespace muster
