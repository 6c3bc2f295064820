// Threads of a simulated job that run real code: each in a fiber, which is resumed when its thread has met
// its last demand and suspended when it needs time. What the code finds there is Muster's Memory
// (simulated_memory.h).
//
// A thread runs ahead of the machine's clock by what its steps cost, and pays for them before it changes
// anything or goes on polling, when that has become more than a quarter of a microsecond, and always before it
// sleeps, wakes, yields or computes. Costs are paid as spinning, so that computing is the job's work only.
#pragma once

#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

#include "sim/fibers.h"
#include "sim/smp/costs.h"
#include "sim/smp/machine.h"

namespace muster::smp {

class World;
class SimulatedLoad;
inline constinit thread_local World* t_world = nullptr;  // of the fiber that runs

struct Observation;

// What the world keeps of each word.
struct Word {
  mutable Observation* observations = nullptr;  // of threads that spin until it changes
  Time changed = 0;
  unsigned changed_by = ~0U;
};

// A spinning thread's look at a word.
struct Observation {
  const Word* word = nullptr;
  Observation* next = nullptr;
  Observation* previous = nullptr;
  unsigned thread = 0;
};

class World {
 public:
  // body(thread) for each of `threads` threads.
  World(unsigned threads, const Costs& costs, std::function<void(unsigned)> body);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // For the threads' Behaviour: what the thread does next.
  Demand next(unsigned thread, Machine& machine, Task& task);

  const Costs& costs() const { return costs_; }
  // Where these threads' process sees the machine's load.
  void sees(SimulatedLoad* load) { load_ = load; }
  SimulatedLoad* load_seen() const { return load_; }

  // The rest is for the bodies and their Memory.
  Machine& machine() { return *machine_; }
  Task& task() { return *me().task; }
  unsigned running() const { return fibers_.running(); }
  Time now();
  Time ran() const { return me().task->ran + me().owed; }  // of its own

  void compute(Time time);
  void pay(Time cost) { me().owed += cost; }  // of a step that others cannot see

  // A load of a word; before a store to it, and after it.
  void load(const Word& word);
  void begin_store();
  void stored(Word& word);
  void fetch_to_change(const Word& word);  // for an update: the line has to come first

  void pause();
  void yield();
  void nap(Time time);
  // False: the word has another value. The look at it is the futex call's own.
  bool sleep(const Word& word, const std::function<bool()>& still, Time at_most);
  unsigned wake(const Word& word);
  void fence_everybody();

  // Where the thread may run: kNoProcessor, anywhere. Moves it there if it is elsewhere.
  void pin(unsigned processor);

  // What the running thread's code remembers for itself.
  struct Memory {
    std::uint64_t asked_ns = 0;
    unsigned left = 0;  // times that it has left a processor
  };
  Memory& memory() { return me().memory; }

 private:
  static constexpr Time kRunAhead = 250;
  static constexpr unsigned kObserved = 8;  // the last looks before a pause

  struct Thread {
    Task* task = nullptr;
    Demand demand;
    Time owed = 0;
    Time stolen = 0;  // by others' fences
    Time spun = 0;    // since it last changed anything
    Time told = 0;    // what it was when it last asked
    Time polled = 0;  // when it last looked at words in vain
    bool yielded_in_vain = false;
    bool is_observing = false;
    const Word* looks[kObserved] = {};
    unsigned looked = 0;
    Observation observations[kObserved];
    unsigned observed = 0;
    Memory memory;
  };

  Thread& me() { return *me_; }
  const Thread& me() const { return *me_; }
  bool is_new(const Thread& thread, const Word& word) const;
  static bool has_looked_at(const Thread& thread, const Word& word);
  void want(Thread& thread, Demand::Kind kind, Time time);
  void spend(Thread& thread);
  void spend_observing(Thread& thread);
  void observe(Thread& thread);
  void stop_observing(Thread& thread);
  void end_poll(Thread& thread, Time least, unsigned share);

  const Costs costs_;
  std::vector<Thread> threads_;
  sim::Fibers fibers_;
  Thread* me_ = nullptr;  // of the fiber that runs
  Machine* machine_ = nullptr;
  SimulatedLoad* load_ = nullptr;
  std::unordered_map<const Word*, std::list<unsigned>> sleepers_;
};

// What each poll does, so these are inline.

// Changed since the thread's last poll and not seen since.
inline bool World::is_new(const Thread& thread, const Word& word) const {
  return word.changed > thread.polled && word.changed_by != fibers_.running() &&
         !has_looked_at(thread, word);
}

inline void World::load(const Word& word) {
  Thread& thread = me();
  thread.owed += is_new(thread, word) ? costs_.load + costs_.line : costs_.load;
  thread.looks[thread.looked++ % kObserved] = &word;
}

// A look at words was in vain. Takes `least`, or a share of the time that has been spun.
inline void World::end_poll(Thread& thread, Time least, unsigned share) {
  const Time spun = thread.spun + thread.owed;
  thread.owed += share != 0 && spun >= least * share ? spun / share : least;
  thread.polled = machine_->now();
}

inline void World::pause() {
  Thread& thread = me();
  end_poll(thread, costs_.pause, costs_.fine_share);
  if (costs_.coarse_share == 0) {
    spend(thread);
  } else if (thread.owed >= kRunAhead && thread.owed >= thread.spun / costs_.coarse_share) {
    spend_observing(thread);
  }
  thread.looked = 0;
}

}  // namespace muster::smp
