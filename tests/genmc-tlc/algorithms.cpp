// The production barriers, waiting and fold's worker loop as programs for GenMC, a stateless model checker for
// weak memory: the headers of barriers/ and waiting/ are included unchanged, on a Memory for GenMC. One program per
// build: run.py sets PROGRAM, ALGORITHM, POLICY, THREADS, EPISODES, CALLED_OFF and CALLER.
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "barriers/barrier_state.h"
#include "barriers/dissemination.h"
#include "barriers/fetch_add.h"
#include "barriers/local_sensor.h"
#include "barriers/tree.h"
#include "tests/genmc-tlc/genmc_memory.h"
#include "waiting/block.h"

namespace muster::genmc {
namespace {

constexpr unsigned kThreads = THREADS;
constexpr unsigned kEpisodes = EPISODES;
constexpr Episode kCalledOff = CALLED_OFF;  // 0: no instance is
constexpr unsigned kCaller = CALLER;

// `spin` without its bounded quick polls, of which GenMC would try each number.
class Spin {
 public:
  explicit Spin(const WaitParameters&) {}
  [[maybe_unused]] static constexpr bool kUsesArrivals = false;
  static bool quick_polls() { return false; }
  static bool spins_first() { return true; }
  template <class Memory, class Done>
  bool spin(const Wait<Memory>&, Done&& done) {
    while (!done()) {
    }
    return true;
  }
};

using Checked = GenmcMemory</*kThreadsSleep=*/std::is_same_v<POLICY, Block>>;
using State = detail::BarrierState<Checked, ALGORITHM, POLICY>;

void* g_state;
constinit CallOff<Checked> g_call_off;
constinit Checked::Atomic<Episode> g_announced{kNoEpisode};
constinit WaitStats g_stats[kThreads];

// Plain memory. The two places of a payload are used alternately, so that a store at one instance must come after
// the loads at the one before the last.
unsigned g_payload[kThreads][2];
unsigned g_order;
unsigned g_task;
RealBarrier g_real;

void store_payload(unsigned me, Episode episode) {
  g_payload[me][episode % 2] = static_cast<unsigned>(episode);
}
void check_payloads(Episode episode) {
  for (unsigned i = 0; i < kThreads; ++i) require(g_payload[i][episode % 2] == episode);
}

void call_off(unsigned me, Episode episode) {
  g_task = 1;
  if (g_call_off.request(episode)) State::wake_everyone(g_state, g_stats[me]);
}
void go_to_the_real_barrier() {
  require(g_task == 1);
  g_real.wait();
}

// Whole barriers. Thread `kCaller` calls instance `kCalledOff` off before it arrives: it returns false to all.
[[maybe_unused]] void barriers(unsigned me) {
  for (Episode episode = 1; episode <= kEpisodes; ++episode) {
    store_payload(me, episode);
    if (episode == kCalledOff && me == kCaller) call_off(me, episode);
    const bool released = State::arrive_and_wait(g_state, me, episode, g_call_off, g_stats[me]);
    require(released == (episode != kCalledOff));
    if (!released) go_to_the_real_barrier();
    check_payloads(episode);
  }
}

// runtime-hooks/folding: thread 0 hands out a region and announces it, the others run it, all gather. A gather that is
// called off is finished at the runtime's barrier. A thread that left it without noticing learns of that at the next
// release, as in worker_loop.cpp.
[[maybe_unused]] void fold(unsigned me) {
  Episode episode = 0;
  Episode gathered = kNoEpisode;
  for (unsigned region = 1; region <= kEpisodes + (kCalledOff != 0 ? 1 : 0); ++region) {
    ++episode;
    if (me == 0) {
      g_order = region;
      g_announced.store(episode, std::memory_order_release);
    }
    const auto release = [&](Episode ended_by) {
      return State::release(g_state, me, episode, ended_by, &g_announced, g_call_off, g_stats[me],
                            Counted::kRegion);
    };
    if (!release(gathered)) {
      require(me != 0 && region == kCalledOff + 1);
      go_to_the_real_barrier();
      gathered = kNoEpisode;
      require(release(kNoEpisode));
    } else {
      require(gathered == kNoEpisode || me == 0 || region != kCalledOff + 1);
    }
    require(g_order == region);
    if (region > kEpisodes) break;
    store_payload(me, region);
    ++episode;
    if (region == kCalledOff && me == kCaller) call_off(me, episode);
    if (State::gather(g_state, me, episode, g_call_off, g_stats[me], Counted::kRegion)) {
      require(me != 0 || region != kCalledOff);
      gathered = me == 0 ? kNoEpisode : episode;
    } else {
      require(region == kCalledOff);
      go_to_the_real_barrier();
      gathered = kNoEpisode;
    }
    if (me == 0) check_payloads(region);
  }
}

// Two conditions, one after the other, and a wake after each; thread 1 sleeps for the first, thread 2 for
// both.
constinit Checked::Atomic<Episode> g_condition[2];
constinit SleepWord<Checked> g_sleep;

[[maybe_unused]] void sleep_word(unsigned me) {
  if (me == 0) {
    for (unsigned i = 0; i < EPISODES; ++i) {
      g_payload[i][0] = 1;
      g_condition[i].store(1, std::memory_order_release);
      g_sleep.wake(g_stats[me]);
    }
    return;
  }
  for (unsigned i = 0; i < me && i < EPISODES; ++i) {
    const auto holds = [&] { return g_condition[i].load(std::memory_order_acquire) != 0; };
    g_sleep.sleep_until(holds, g_stats[me]);
    require(g_payload[i][0] == 1);
  }
}

void* run(void* me) {
  PROGRAM(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(me)));
  return nullptr;
}

[[gnu::nodebug]] alignas(4096) std::byte g_pages[1 << 16];

}  // namespace
}  // namespace muster::genmc

// The functions that the arena needs.
extern "C" void* mmap(void*, std::size_t, int, int, int, off_t) noexcept {
  return muster::genmc::g_pages;
}
extern "C" int munmap(void*, std::size_t) noexcept { return 0; }

int main() {
  using namespace muster;
  using namespace muster::genmc;
  static constinit Arena arena;
  static constexpr Layout kLayout{.radix = {2}};  // so that three threads have a tree of two levels
  static constexpr WaitParameters kParameters{.team_size = kThreads};
  require(arena.reserve(sizeof g_pages));
  g_state = State::create(arena, kThreads, kLayout, kParameters);
  require(g_state != nullptr);
  g_real.init(kThreads);
  for (std::uintptr_t i = 1; i < kThreads; ++i) begin_thread(run, reinterpret_cast<void*>(i));
  run(nullptr);
}
