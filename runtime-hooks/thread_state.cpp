#include "runtime-hooks/thread_state.h"

#include <pthread.h>

#include <new>

#include "counters/thread_counters.h"
#include "platform/pages.h"
#include "runtime-hooks/folding/contract.h"
#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/folding/watch.h"

namespace muster {

thread_local constinit ThreadState* t_thread_state __attribute__((tls_model("initial-exec"))) =
    nullptr;

std::atomic<std::uint32_t> g_frames_missed{0};

namespace {

std::atomic<ThreadState*> g_first{nullptr};
pthread_key_t g_exit_key;

// The state, with its counts and spare teams, is taken over by the next new thread.
void leave_to_next_thread(void* value) {
  auto* state = static_cast<ThreadState*>(value);
  if ((t_muster_watches & kInSerialPart) != 0) {
    // A destructor before this one has opened a fold, which is closed in the next round.
    pthread_setspecific(g_exit_key, state);
    return;
  }
  const Fold* fold = state->own_fold.load(std::memory_order_relaxed);
  MUSTER_CHECK(kEnded, fold == nullptr || !fold->is_open());
  if (state->counters != nullptr) state->counters->thread_ends();
  t_muster_watches = 0;
  t_thread_state = nullptr;
  state->top = nullptr;
  state->fork_depth = 0;
  state->fold = nullptr;
  state->taken.store(false, std::memory_order_release);
}

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

ThreadState* new_thread_state() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { pthread_key_create(&g_exit_key, leave_to_next_thread); });
  ThreadState* state = reuse();
  if (state == nullptr) state = make();
  t_thread_state = state;
  if (state != nullptr) pthread_setspecific(g_exit_key, state);
  return state;
}

ThreadState* first_thread_state() { return g_first.load(std::memory_order_acquire); }

void threads_after_fork() {
  for (ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    state->regions.clear();
    state->folded.clear();
    for (Tally& count : state->unfolded) count.clear();
    for (Tally& count : state->replaced) count.clear();
    for (Tally& count : state->passed) count.clear();
    for (Tally& count : state->reasons) count.clear();
    state->yield_counts.clear();
    for (Team*& spare : state->spare) spare = nullptr;
    state->counters = nullptr;  // the parent's
    state->fork_depth = 0;      // teams in use are left where they are: see Team::release
    if (state != t_thread_state) {
      state->top = nullptr;
      state->taken.store(false, std::memory_order_relaxed);
    }
  }
  if (t_thread_state == nullptr) return;
  for (Frame* frame = t_thread_state->top; frame != nullptr; frame = frame->outer) {
    frame->team = nullptr;
    frame->me = nullptr;
    frame->between_regions = false;
  }
}

}  // namespace muster
