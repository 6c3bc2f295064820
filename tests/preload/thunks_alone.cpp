// The thunks without the rest of libmuster.so. The program sets the fold state of its thread (t_muster_fold_state), and
// each reported call is printed on a line of its own. The thunk must restore the registers that printf changes.
#include <cstdio>

#include "preload/entry.h"
#include "runtime-hooks/folding/call_effects.h"

// Muster's own entry points are not tested here.
#define MUSTER_THUNK(name, effect)
#define MUSTER_ANSWERED(name)
#define MUSTER_IMPLEMENTED(name) \
  extern "C" void muster_entry_##name() {}
#include "thunk_names.inc"

namespace muster {

void get_ready() {}

AnyFunction function_for_missing(const char*, const void*) { return nullptr; }

thread_local constinit FoldState t_muster_fold_state = FoldState::kNoFold;

void apply_effect(const char* symbol, Effect effect, const void* caller) {
  constexpr const char* kNames[] = {"closes",         "sets",          "pushes",
                                    "closes by task", "creates tasks", "sets defaults"};
  std::printf("\n%s %s%s\n", symbol, kNames[static_cast<unsigned>(effect)],
              caller != nullptr ? "" : ", by nobody");
}

bool is_of_another_runtime(const void*) { return false; }

void make_region_real(const char*, const void*) {}

int serial_max_threads() { return 42; }

}  // namespace muster

extern "C" __attribute__((visibility("default"))) void muster_test_set_state(int states) {
  muster::t_muster_fold_state = static_cast<muster::FoldState>(states);
}
