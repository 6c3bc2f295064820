#include "tests/model/programs.h"

#include "tests/model/checked_registry.h"
#include "tests/model/contended_at_times.h"

namespace muster::model {
namespace {

constexpr std::uint64_t kCsNs = 2'000;

// Plain memory: two payloads per thread, used alternately so that a store at one instance must come after the loads at
// the one before the last; each once as an ordinary store and once as one that bypasses the order of release stores, as
// vector code may. Then the published data.
constexpr unsigned kPerThread = 2;
unsigned payload(unsigned thread, Episode episode) {
  return kPerThread * thread + static_cast<unsigned>(episode % 2);
}
constexpr unsigned kBypassing = 6;  // as many as the ordinary ones of three threads
constexpr unsigned kOrder = 12;
constexpr unsigned kBypassingOrder = 13;
constexpr unsigned kTask = 14;

// A counter that takes no account of the instances at which it was not used.
template <class Memory, class Waiter>
class ForgetfulCounter : public FetchAddXadd<Memory, Waiter> {
 public:
  using FetchAddXadd<Memory, Waiter>::FetchAddXadd;
  void catch_up(Episode) {}
};

// The combination that is checked. With three threads the usual algorithm is the tree, which is also what
// `dissemination` has its halves from: all of its own words do not fit into a state.
template <bool kWithTree, bool kCatchesUp>
struct Changing {
  template <class Memory, class Waiter>
  using Usual = std::conditional_t<kWithTree, Tree<Memory, Waiter>, Dissemination<Memory, Waiter>>;
  template <class Memory, class Waiter>
  using Contended = std::conditional_t<kCatchesUp, FetchAddXadd<Memory, Waiter>,
                                       ForgetfulCounter<Memory, Waiter>>;
  template <class Memory, class Waiter>
  using Both = WhileContended<Memory, Waiter, Usual, Contended>;
};

class BarrierProgram : public Program {
 public:
  explicit BarrierProgram(const Subject& subject)
      : subject_(subject),
        ops_(subject.first_request != 0 ? changing(subject)
                                        : barrier_ops<CheckedMemory>(subject.barrier)) {
    const WaitParameters parameters{.wait = subject.wait,
                                    .team_size = subject.threads,
                                    .context_switch_ns = kCsNs,
                                    .wake_ns = kCsNs,
                                    .fixed_ns = 10 * kCsNs};
    contended_times = {.first_request = subject.first_request,
                       .too_soon = subject.mistake == Mistake::kTooSoon};
    Layout layout;
    layout.radix[0] = 2;  // so that three threads have a tree of two levels
    if (arena_.reserve(ops_->bytes(subject.threads, layout))) {
      state_ = ops_->create(arena_, subject.threads, layout, parameters);
    }
    if (state_ == nullptr) g_world->fail(Fault::kTooMuch, "no memory for the barrier");
  }

  unsigned threads() const override { return subject_.threads; }

  void thread(unsigned me) override {
    switch (subject_.shape) {
      case Shape::kBarriers:
      case Shape::kCalledOff:
      case Shape::kCalledOffFrom:
        return barriers(me);
      case Shape::kFold:
      case Shape::kAnnouncedFold:
      case Shape::kFoldAndBarrier:
        return fold(me);
      case Shape::kCalledOffFold:
        return fold_called_off(me);
      case Shape::kSleepWord:
      case Shape::kFullySleepWord:
        return;
    }
  }

 private:
  template <bool kWithTree, bool kCatchesUp>
  static const BarrierOps<CheckedMemory>* changing_with(const Subject& subject) {
    using Combination = Changing<kWithTree, kCatchesUp>;
    if (subject.wait == WaitKind::kSpin)
      return detail::kOpsOf<CheckedMemory, Combination::template Both, ContendedAtTimes<false>>;
    return detail::kOpsOf<CheckedMemory, Combination::template Both, ContendedAtTimes<true>>;
  }
  static const BarrierOps<CheckedMemory>* changing(const Subject& subject) {
    const bool catches_up = subject.mistake != Mistake::kNeverCatchesUp;
    if (subject.threads == 2)
      return catches_up ? changing_with<false, true>(subject)
                        : changing_with<false, false>(subject);
    return catches_up ? changing_with<true, true>(subject) : changing_with<true, false>(subject);
  }

  bool released_from(Episode episode) const {
    if (subject_.shape == Shape::kCalledOff) return episode != subject_.called_off;
    if (subject_.shape == Shape::kCalledOffFrom) return episode < subject_.called_off;
    return true;
  }

  void store_payload(unsigned me, Episode episode) {
    g_world->write(payload(me, episode), episode);
    g_world->write(kBypassing + payload(me, episode), episode, /*bypassing=*/true);
  }
  void check_payloads(Episode episode) {
    for (unsigned i = 0; i < subject_.threads; ++i) {
      g_world->must_hold(payload(i, episode), episode);
      g_world->must_hold(kBypassing + payload(i, episode), episode);
    }
  }

  void call_off(unsigned me, Episode episode) {
    g_world->write(kTask, subject_.called_off);
    const bool is_new = subject_.shape == Shape::kCalledOffFrom ? call_off_.request_from(episode)
                                                                : call_off_.request(episode);
    if (is_new) ops_->wake_everyone(state_, stats_[me]);
  }

  void barriers(unsigned me) {
    for (unsigned i = 1; i <= subject_.episodes; ++i) {
      const Episode episode = first_ + i;
      g_world->at_episode(episode);
      store_payload(me, episode);
      if (!released_from(i) && i == subject_.called_off && me == subject_.caller) {
        call_off(me, episode);
      }
      const bool released = arrive(me, episode);
      g_world->note_outcome(i, released, released_from(i));
      if (!released) {
        g_world->must_hold(kTask, subject_.called_off);
        g_world->real_barrier();
      }
      check_payloads(episode);
      g_world->settle(i);
    }
    store_payload(me, first_ + subject_.episodes + 1);
  }

  void fold(unsigned me) {
    Episode episode = 0;
    for (unsigned region = 1; region <= subject_.episodes; ++region) {
      hand_out(me, region, ++episode);
      must_be_released(release(me, episode, kNoEpisode), episode);
      take_order(region);
      store_payload(me, region);
      if (subject_.shape == Shape::kFoldAndBarrier) {
        g_world->at_episode(++episode);
        must_be_released(arrive(me, episode), episode);
        check_payloads(region);
      }
      g_world->at_episode(++episode);
      must_be_released(gather(me, episode), episode);
      if (me == 0) check_payloads(region);
      g_world->settle(region);
    }
  }

  // Like runtime-hooks/folding/worker_loop.cpp: a thread that left a gather without noticing the call-off learns of it
  // at the next release.
  void fold_called_off(unsigned me) {
    Episode episode = 0;
    bool told = true;
    for (unsigned region = 1; region <= subject_.episodes + 1; ++region) {
      const bool was_called_off = region == subject_.called_off + 1;
      const Episode gathered = episode++;
      if (me == 0) hand_out(me, region, episode);
      g_world->at_episode(episode);
      if (!release(me, episode, told ? kNoEpisode : gathered)) {
        g_world->note_outcome(gathered, false, !was_called_off);
        go_to_the_real_barrier();
        told = true;
        must_be_released(release(me, episode, kNoEpisode), episode);
      }
      if (was_called_off && !told) g_world->note_outcome(gathered, true, false);
      take_order(region);
      if (region > subject_.episodes) break;
      store_payload(me, region);
      g_world->at_episode(++episode);
      const bool calls_off = region == subject_.called_off;
      if (calls_off && me == subject_.caller) call_off(me, episode);
      told = !gather(me, episode);
      if (told) {
        g_world->note_outcome(episode, false, !calls_off);
        go_to_the_real_barrier();
      }
      if (me == 0) check_payloads(region);
      g_world->settle(2 * region + (told ? 1 : 0));
    }
  }

  void go_to_the_real_barrier() {
    g_world->read(kTask);
    g_world->real_barrier();
  }

  void hand_out(unsigned me, unsigned region, Episode episode) {
    g_world->at_episode(episode);
    if (me != 0) return;
    g_world->write(kOrder, region);
    g_world->write(kBypassingOrder, region, /*bypassing=*/true);
    if (subject_.shape != Shape::kAnnouncedFold) return;
    CheckedMemory::drain_stores();
    announced_.store(episode, std::memory_order_release);
  }
  void take_order(unsigned region) {
    g_world->must_hold(kOrder, region);
    g_world->must_hold(kBypassingOrder, region);
  }

  bool arrive(unsigned me, Episode episode) {
    return ops_->arrive_and_wait(state_, me, episode, call_off_, stats_[me]);
  }
  bool gather(unsigned me, Episode episode) {
    return ops_->gather(state_, me, episode, call_off_, stats_[me], Counted::kRegion);
  }
  bool release(unsigned me, Episode episode, Episode ended_by) {
    const auto* announced = subject_.shape == Shape::kAnnouncedFold ? &announced_ : nullptr;
    return ops_->release(state_, me, episode, ended_by, announced, call_off_, stats_[me],
                         Counted::kRegion);
  }
  static void must_be_released(bool released, Episode episode) {
    g_world->note_outcome(episode, released, true);
  }

  const Subject subject_;
  Episode first_ = 0;  // the number before the first instance
  const BarrierOps<CheckedMemory>* ops_;
  Arena arena_;
  CallOff<CheckedMemory> call_off_;
  CheckedMemory::Atomic<Episode> announced_{kNoEpisode};
  WaitStats stats_[kMaxThreads];  // counts, and no part of the state
  void* state_ = nullptr;
};

// Two conditions, one after the other, and a wake after each; one thread sleeps for the first, another for both. The
// smallest program in which a thread falls asleep after a wake that was for others.
class SleepWordProgram : public Program {
 public:
  explicit SleepWordProgram(const Subject& subject)
      : full_(subject.shape == Shape::kFullySleepWord) {}
  unsigned threads() const override { return 3; }

  void thread(unsigned me) override {
    if (me == 0) {
      for (unsigned i = 0; i < 2; ++i) {
        g_world->write(i, 1);
        condition_[i].store(1, std::memory_order_release);
        sleep_.wake(stats_[me], full_);
      }
      return;
    }
    for (unsigned i = 0; i < me; ++i) {
      const auto holds = [&] { return condition_[i].load(std::memory_order_acquire) != 0; };
      sleep_.sleep_until(holds, stats_[me], full_);
      g_world->must_hold(i, 1);
      g_world->settle(i + 1);
    }
  }

 private:
  const bool full_;
  CheckedMemory::Atomic<Episode> condition_[2];
  SleepWord<CheckedMemory> sleep_;
  WaitStats stats_[3];
};

}  // namespace

std::string name_of(Shape shape) {
  constexpr const char* kNames[] = {"barriers",        "called-off",
                                    "called-off-from", "fold",
                                    "announced",       "fold-and-barrier",
                                    "called-off-fold", "gives-way",
                                    "sleep-word",      "fully-fenced-sleep-word"};
  return kNames[static_cast<unsigned>(shape)];
}

std::string name_of(const Subject& subject) {
  if (subject.shape == Shape::kSleepWord || subject.shape == Shape::kFullySleepWord) {
    return name_of(subject.shape) + ", 3 threads";
  }
  const bool with_tree = subject.first_request != 0 && subject.threads != 2;
  std::string out = std::string(with_tree ? "tree-or-counter" : name_of(subject.barrier)) + " " +
                    name_of(subject.wait) + " " + name_of(subject.shape) + ", " +
                    std::to_string(subject.threads) + " threads, " +
                    std::to_string(subject.episodes) + " episodes";
  if (subject.first_request != 0)
    out += ", contended at times, requested at " + std::to_string(subject.first_request);
  if (subject.shape == Shape::kCalledOff || subject.shape == Shape::kCalledOffFrom ||
      subject.shape == Shape::kCalledOffFold) {
    out += ", thread " + std::to_string(subject.caller) + " calls off " +
           std::to_string(subject.called_off);
  }
  return out;
}

MakeProgram program_of(const Subject& subject) {
  return [subject]() -> std::unique_ptr<Program> {
    if (subject.shape == Shape::kSleepWord || subject.shape == Shape::kFullySleepWord) {
      return std::make_unique<SleepWordProgram>(subject);
    }
    return std::make_unique<BarrierProgram>(subject);
  };
}

}  // namespace muster::model
