// Simulated threads: each has a stack of its own, and one real thread runs them in an order drawn from a seed. A switch
// may come before any access to shared memory, time is counted, sleeping costs nothing, and a team that will never be
// woken is detected at once. So a hundred million barriers take a minute, and a failure is repeated by its seed.
//
// Memory is that of x86 (total store order): a store stays in a buffer of its thread, for a drawn time, before the
// others see it, and fences empty the buffers. Without a fence between setting the flag "asleep" and the last check,
// wake-ups are lost here as on the machine.
//
// The next thread is drawn in one of two ways (Schedule): any thread, for a random number of steps; or by priorities
// that change rarely, which is probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi & Nagarakatte,
// ASPLOS 2010): a fault that takes d ordering constraints among n threads and k steps is met with a probability of
// at least 1 / (n k^(d-1)).
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "waiting/random.h"

namespace muster::test {

// Stores that only their own thread sees yet, oldest first.
class StoreBuffer {
 public:
  void add(void* target, std::uint64_t value, void (*store)(void*, std::uint64_t)) {
    if (count_ == kCapacity) drain_oldest();
    entries_[count_++] = {target, value, store};
  }
  // Whether a store to `target` is still in here; `value` is then the newest one.
  bool holds(const void* target, std::uint64_t& value) const {
    for (unsigned i = count_; i-- > 0;) {
      if (entries_[i].target != target) continue;
      value = entries_[i].value;
      return true;
    }
    return false;
  }
  void drain() {
    for (unsigned i = 0; i < count_; ++i) entries_[i].store(entries_[i].target, entries_[i].value);
    count_ = 0;
  }

  void drop() { count_ = 0; }

 private:
  void drain_oldest() {
    entries_[0].store(entries_[0].target, entries_[0].value);
    for (unsigned i = 1; i < count_; ++i) entries_[i - 1] = entries_[i];
    --count_;
  }

  struct Entry {
    void* target;
    std::uint64_t value;
    void (*store)(void*, std::uint64_t);
  };
  static constexpr unsigned kCapacity = 8;
  Entry entries_[kCapacity];
  unsigned count_ = 0;
};

// Deliberate errors, which the tests must detect.
enum class Weakness { kNone, kHeavyFence, kFullFence, kWakeCall };

// How threads and times are drawn.
struct Schedule {
  // PCT: in each window of so many steps the threads have new random priorities, and at depth - 1 random steps of it
  // the running thread falls below all others. The highest runnable one runs; a thread whose poll failed is not
  // runnable until another thread has stored something. 0: no priorities.
  unsigned depth = 0;
  unsigned window = 0;
  bool stops = false;        // a thread that falls may also be stopped, for up to 100 ms
  bool long_yields = false;  // a yield may take as long
  bool clock_jumps = false;  // the clock jumps forward by up to 10 s, or back by up to 1 ms
  std::uint64_t step_ns = 2;
  std::uint64_t pause_ns = 50;

  static constexpr unsigned kMostDepth = 8;
};

class SimulatedThreads {
 public:
  enum class End { kDone, kAllAsleep, kNoProgress };
  static constexpr unsigned kCpus = 2;

  explicit SimulatedThreads(Weakness weakness) : weakness_(weakness) {}

  // Runs body(thread number) for each of `count` threads, until all have returned or the team is stuck; then the stacks
  // are left as they are. Must not be called from within a body.
  End run(unsigned count, std::uint64_t seed, const std::function<void(unsigned)>& body,
          const Schedule& schedule = {});

  // The other functions are for bodies.

  // Before each access to shared memory.
  void step() {
    now_ns_ += schedule_.step_ns;
    if (--steps_left_ == 0) [[unlikely]]
      preempt();
  }
  std::uint64_t now_ns() { return ++now_ns_ + jumped_ns_; }
  std::uint64_t true_ns() const { return now_ns_; }
  unsigned running() const { return running_->number; }
  unsigned cpu() const { return running_->cpu; }
  void move_to(unsigned cpu) { running_->cpu = cpu; }
  StoreBuffer& buffer() { return running_->buffer; }
  void drain_all();
  // A poll that failed. While all threads can only poll, time passes faster: one poll represents many. While another
  // thread can run, the turn ends sooner.
  void pause() {
    now_ns_ += schedule_.pause_ns;
    if (schedule_.depth != 0) return poll_in_vain();
    if (another_can_run_) steps_left_ -= steps_left_ / 2;
    if (++polls_ < kPollsOfATeam && another_can_run_) return;
    hurry();
  }
  // Before a store: others may be waiting for its value.
  void note_write() {
    polls_ = 0;
    ++writes_;
    if (has_pollers_) [[unlikely]]
      look_again_at_next_step();
  }
  // For a thread that is known to only poll: the others run first, under PCT only.
  void poll_in_vain();
  void yield();
  void delay(std::uint64_t ns);
  void sleep(const void* word, bool limited);  // may return spuriously
  void wake(const void* word);
  void made_progress() { idle_turns_ = 0; }
  void abandon() { stop(End::kDone); }  // the run, after an error
  std::uint32_t draw() { return numbers_.next(); }
  // 100 ns to 100 ms, each power of ten equally often.
  std::uint64_t draw_long();
  bool one_in(std::uint32_t n) { return draw() % n == 0; }
  Weakness weakness() const { return weakness_; }

 private:
  struct Thread {
    unsigned number = 0;
    unsigned cpu = 0;
    unsigned priority = 0;
    std::uint64_t polled = 0;  // writes_ at its last failed poll
    bool done = false;
    bool started = false;
    std::uint64_t due_ns = 0;  // not before; kNever: until it is woken
    const void* asleep_on = nullptr;
    StoreBuffer buffer;
    jmp_buf place;
    ucontext_t first_place;
    std::unique_ptr<char[]> stack;
  };

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::uint64_t kYieldNs = 1'000;
  static constexpr std::uint64_t kCompetitorSliceNs = 2'000'000;
  static constexpr std::uint64_t kLimitNs = 1'000'000;  // of a limited sleep
  static constexpr std::uint32_t kLongestWakeNs = 4'000;
  static constexpr std::uint32_t kTurnsPerCompetitor = 4'096;
  static constexpr unsigned kPollsOfATeam = 64;
  static constexpr unsigned kMostIdleTurns = 1'000'000;
  static constexpr std::size_t kStackBytes = 256 * 1024;

  static void first_step();
  void begin_turn();
  void preempt();
  void look_again_at_next_step();
  void begin_window();
  void plan_turn();
  void pass_steps();
  void change_priority();
  void hurry() {
    if (next_event_ns_ != kNever && next_event_ns_ > now_ns_) {
      now_ns_ += (next_event_ns_ - now_ns_) / 2;
    }
  }
  bool polls(const Thread& thread) const { return thread.polled == writes_; }
  void look_who_is_next();
  void switch_away();
  void switch_to(Thread& next);
  void stop(End end);
  Thread* pick();
  Thread* pick_by_priority();

  const Weakness weakness_;
  std::vector<Thread> threads_;
  std::function<void(unsigned)> body_;
  MixedNumbers numbers_{0};
  Schedule schedule_;
  Thread* running_ = nullptr;
  std::uint64_t now_ns_ = 0;
  std::uint64_t jumped_ns_ = 0;
  std::uint64_t writes_ = 1;
  bool has_pollers_ = false;  // under PCT: that would look again after a write
  unsigned steps_granted_ = 1;
  unsigned step_of_window_ = 0;
  unsigned changes_ = 0;  // of priorities that have been in this window
  unsigned change_at_[Schedule::kMostDepth] = {};
  bool another_can_run_ = false;
  std::uint64_t next_event_ns_ = 0;  // when the first of the others can run that cannot yet
  unsigned polls_ = 0;               // of all threads since the last store
  unsigned steps_left_ = 1;
  unsigned idle_turns_ = 0;  // without progress
  unsigned team_ = 0;
  End end_ = End::kDone;
  jmp_buf home_;
};

}  // namespace muster::test
