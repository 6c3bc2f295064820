#include "runtime-hooks/folding/call_effects.h"

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/teams/tasks_seen.h"

namespace muster {

namespace {

Closed reason_for(const char* symbol, Effect effect) {
  if (effect == Effect::kPushes) return Closed::kClause;
  for (const char* region : {"GOMP_parallel", "GOMP_teams", "__kmpc_serialized", "__kmpc_fork"}) {
    if (std::strncmp(symbol, region, std::strlen(region)) == 0) return Closed::kOtherKind;
  }
  return Closed::kCall;
}

bool is_setter(Effect effect) {
  return effect == Effect::kSets || effect == Effect::kSetsDefaults || effect == Effect::kPauses;
}

// The open fold in which the calling thread is, between two regions or in one; else null.
Fold* fold_around() {
  const bool is_around = in_serial_part() || in_inactive_region() || in_folded_region();
  return is_around ? t_thread_state->fold : nullptr;
}

}  // namespace

void apply_effect(const char* symbol, Effect effect, const void* caller) {
  Fold* fold = fold_around();
  if (fold != nullptr && fold->is_call_of_runtime(caller)) return;
  if (effect == Effect::kClosesByTask && fold != nullptr &&
      fold->runtime().kind != RuntimeKind::kLibgomp)
    return;
  if (in_serial_part()) {
    const int saved = errno;
    fold->close(reason_for(symbol, effect), {symbol, caller});
    errno = saved;
  } else if (in_inactive_region()) {
    make_region_real(symbol, caller);
  } else if (in_folded_region() && is_setter(effect)) {
    fold->note_setting();
  }
  if (effect != Effect::kPushes) return;
  if (Fold* mine = root_fold(nullptr); mine != nullptr) mine->note_clause();
}

bool is_of_another_runtime(const void* function) {
  const Fold* fold = fold_around();
  return fold != nullptr && !fold->runtime().contains(function);
}

void close_fold_before(const char* symbol, const void* caller) {
  const Fold* fold = fold_around();
  const bool is_its_runtime = fold != nullptr && &runtime_of(caller, symbol) == &fold->runtime();
  if (is_its_runtime) apply_effect(symbol, Effect::kCloses, caller);
}

bool is_barrier_of_one(const char* symbol, const void* caller) {
  const bool is_explicit =
      std::strcmp(symbol, "GOMP_barrier") == 0 || std::strcmp(symbol, "__kmpc_barrier") == 0;
  if (!is_explicit || task_seen()) return false;
  const Fold& fold = *t_thread_state->fold;
  return !fold.is_call_of_runtime(caller) && &runtime_of(caller, symbol) == &fold.runtime();
}

void make_region_real(const char* symbol, const void* caller) {
  const int saved = errno;
  t_thread_state->fold->begin_in_runtime(Closed::kCall, {symbol, caller});
  errno = saved;
}

int serial_max_threads() { return fold_around()->serial_max_threads(); }

}  // namespace muster
