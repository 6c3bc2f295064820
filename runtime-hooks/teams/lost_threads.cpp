#include "runtime-hooks/teams/lost_threads.h"

#include <atomic>

namespace muster {

constinit bool g_threads_are_lost = false;

namespace {

LostThreadsObserver g_observer = nullptr;
bool g_is_reported = false;

// By the number of its load. Of a later one than fits in, nothing is noted: it is as without Muster.
std::uint64_t bit_of(const Runtime& runtime) {
  return runtime.load < 64 ? std::uint64_t{1} << runtime.load : 0;
}

bool is_tracked(const Runtime& runtime) {
  const RealFunctions& real = runtime.real;
  return runtime.kind == RuntimeKind::kLibgomp &&
         has_all(real.omp_get_level, real.omp_get_num_threads, real.omp_get_thread_num);
}

// A target task runs its regions at any time, in any thread, and as if this were a new one.
bool has_target_tasks(const Runtime& runtime) {
  return __atomic_load_n(&runtime.has_target_tasks, __ATOMIC_RELAXED);
}

}  // namespace

bool would_use_lost_pool(const Runtime& runtime) {
  const ThreadState* state = t_thread_state;
  if (state == nullptr || (state->pools.lost & bit_of(runtime)) == 0) return false;
  if (state->pools.targets_around != 0 || has_target_tasks(runtime)) return false;
  const Frame* around = state->top;
  const bool is_inside = around != nullptr && around->is_alone && around->runtime == &runtime;
  return is_inside || runtime.real.omp_get_level() == 0;
}

bool begins_alone(const Runtime& runtime, unsigned asked) {
  if (!would_use_lost_pool(runtime)) return false;
  // Regions nested in a region of one thread that the program asks for are not changed.
  const auto most = runtime.real.omp_get_max_threads;
  if (asked == 1 || (asked == 0 && most != nullptr && most() == 1)) return false;
  if (!g_is_reported && g_observer != nullptr) g_observer(runtime);
  g_is_reported = true;
  return true;
}

void observe_lost_threads(LostThreadsObserver observer) { g_observer = observer; }

bool may_make_pool(const ThreadState& state, const Runtime& runtime) {
  return is_tracked(runtime) && (state.pools.live & bit_of(runtime)) == 0 &&
         state.pools.targets_around == 0;
}

void note_pool(const Runtime& runtime) {
  const RealFunctions& real = runtime.real;
  if (t_thread_state == nullptr || real.omp_get_thread_num() != 0) return;
  if (real.omp_get_num_threads() > 1 && real.omp_get_level() == 1) {
    note_pool(*t_thread_state, runtime);
  }
}

void note_pool(ThreadState& state, const Runtime& runtime) {
  if (is_tracked(runtime)) state.pools.live |= bit_of(runtime);
}

void forget_pool(const Runtime& runtime) {
  if (t_thread_state != nullptr) t_thread_state->pools.live &= ~bit_of(runtime);
}

void pools_after_fork(ThreadState* forking, bool remedy) {
  g_is_reported = false;
  g_threads_are_lost = false;
  if (forking == nullptr) return;
  ThreadPools& pools = forking->pools;
  if (remedy) pools.lost |= pools.live;
  pools.live = 0;
  g_threads_are_lost = pools.lost != 0;
}

}  // namespace muster
