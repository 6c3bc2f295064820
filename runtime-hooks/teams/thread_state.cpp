#include "runtime-hooks/teams/thread_state.h"

#include <pthread.h>

#include <new>

#include "counters/thread_counters.h"
#include "options/settings.h"
#include "platform/pages.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/fold_state.h"
#include "runtime-hooks/teams/lost_threads.h"
#include "runtime-hooks/teams/team.h"

namespace muster {

thread_local constinit ThreadState* t_thread_state __attribute__((tls_model("initial-exec"))) =
    nullptr;

thread_local constinit FoldState t_muster_fold_state
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = FoldState::kNew;

std::atomic<std::uint32_t> g_frames_missed{0};

namespace {

std::atomic<ThreadState*> g_first{nullptr};
void (*g_at_end)() = [] {};
pthread_key_t g_key;
bool g_has_key = false;
bool g_key_comes_first = false;

// The state, with its counts and spare teams, is used again by the next new thread; but not before the other keys'
// destructors have run once, because these may begin regions. The key's value is not used: another namespace may have
// written it (reserve_thread_states()).
void thread_ends(void*) {
  ThreadState* state = t_thread_state;
  if (state == nullptr) return;
  const bool is_first_round = !state->is_ending;
  state->is_ending = true;
  g_at_end();
  if (is_first_round || in_serial_part() || in_inactive_region()) {
    pthread_setspecific(g_key, state);
    return;
  }
  if (state->counters != nullptr) state->counters->thread_ends();
  t_muster_fold_state = FoldState::kNoFold;
  t_thread_state = nullptr;
  state->top = nullptr;
  state->fork_depth = 0;
  state->fold = nullptr;
  state->pools = {};
  state->is_ending = false;
  state->taken.store(false, std::memory_order_release);
}

// glibc keeps the values of so many keys in the thread's control block; for more it allocates.
constexpr pthread_key_t kKeysWithoutAllocation = 32;

ThreadState* reuse() {
  for (ThreadState* state = g_first.load(std::memory_order_acquire); state != nullptr;
       state = state->next) {
    bool taken = false;
    if (state->taken.compare_exchange_strong(taken, true, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
      return state;
    }
  }
  return nullptr;
}

ThreadState* make() {
  void* pages = map_pages(sizeof(ThreadState));
  if (pages == nullptr) return nullptr;
  auto* state = ::new (pages) ThreadState();
  state->taken.store(true, std::memory_order_relaxed);
  state->next = g_first.load(std::memory_order_relaxed);
  while (!g_first.compare_exchange_weak(state->next, state, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  return state;
}

}  // namespace

// Each namespace (dlmopen) has its own copy of the C library with its own table of keys. But glibc keeps the values
// of keys 0 to 31 in the thread's control block, which all copies share: each copy finds the values that another one
// wrote, and runs its own destructors on them. Without Muster, libomp makes key 0; libgomp makes key 0 for OpenACC,
// which OpenMP code never sets, and key 1. So a program with both, in two namespaces, works. If Muster made key 0,
// this namespace's libomp would have key 1, which a libgomp in another namespace sets; and a libomp there would find
// Muster's value in key 0. So Muster leaves keys 0 and 1 unused, for other namespaces, and this namespace's runtimes
// make theirs after Muster's.
void reserve_thread_states() {
  constexpr unsigned kOfOtherNamespaces = 2;
  pthread_key_t unused[kOfOtherNamespaces];
  unsigned taken = 0;
  while (taken < kOfOtherNamespaces && pthread_key_create(&unused[taken], nullptr) == 0) ++taken;
  // With fewer, a runtime's key would be below Muster's and its destructor the first.
  const bool is_made = taken == kOfOtherNamespaces && pthread_key_create(&g_key, thread_ends) == 0;
  g_has_key = is_made && g_key < kKeysWithoutAllocation;
  if (g_has_key) {
    threads_know_their_region([]() -> Runtime* {
      const ThreadState* state = t_thread_state;
      return state != nullptr && state->top != nullptr ? state->top->runtime : nullptr;
    });
  }
  g_key_comes_first = g_has_key && g_key == kOfOtherNamespaces;
  if (g_key_comes_first) return;
  while (taken > 0) pthread_key_delete(unused[--taken]);  // other keys were made before
  if (is_made && !g_has_key) pthread_key_delete(g_key);
}

bool has_thread_states() { return g_has_key; }

bool state_key_comes_first() { return g_key_comes_first; }

void at_end_of_threads(void (*function)()) { g_at_end = function; }

ThreadState* new_thread_state() {
  if (!has_thread_states()) return nullptr;
  ThreadState* state = reuse();
  if (state == nullptr) state = make();
  if (state == nullptr) return nullptr;
  if (state->sites == nullptr && settings().sites) state->sites = new_site_table();
  pthread_setspecific(g_key, state);
  t_thread_state = state;
  return state;
}

void with_spare_state(void (*run)(void*), void* data) {
  ThreadState spare;
  t_thread_state = &spare;
  run(data);
  Team::keep_for_others(spare);
  t_thread_state = nullptr;
}

ThreadState* first_thread_state() { return g_first.load(std::memory_order_acquire); }

void threads_after_fork() {
  for (ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    state->regions.clear();
    state->folded.clear();
    for (Tally& count : state->unfolded) count.clear();
    for (Tally& count : state->replaced) count.clear();
    for (Tally& count : state->passed) count.clear();
    state->loops_computed.clear();
    state->loops_passed.clear();
    for (Tally& count : state->reasons) count.clear();
    state->yield_counts.clear();
    if (state->sites != nullptr) state->sites->clear();
    for (Team*& spare : state->spare) spare = nullptr;
    state->counters = nullptr;  // the parent's
    state->timeline = nullptr;
    state->fork_depth = 0;  // teams in use stay: see Team::release
    if (state != t_thread_state) {
      state->top = nullptr;
      state->pools = {};
      state->is_ending = false;
      state->taken.store(false, std::memory_order_relaxed);
    }
  }
  pools_after_fork(t_thread_state, settings().after_fork == AfterFork::kSerial);
  if (t_thread_state == nullptr) return;
  for (Frame* frame = t_thread_state->top; frame != nullptr; frame = frame->outer) {
    frame->team = nullptr;
    frame->me = nullptr;
    frame->between_regions = false;
  }
}

}  // namespace muster
