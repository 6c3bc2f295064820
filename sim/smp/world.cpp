#include "sim/smp/world.h"

#include <algorithm>

namespace muster::smp {

World::World(unsigned threads, const Costs& costs, std::function<void(unsigned)> body)
    : costs_(costs), threads_(threads), fibers_(threads, std::move(body)) {
  for (unsigned i = 0; i < threads; ++i) {
    for (Observation& observation : threads_[i].observations) observation.thread = i;
  }
}

Demand World::next(unsigned number, Machine& machine, Task& task) {
  Thread& thread = threads_[number];
  me_ = &thread;
  thread.task = &task;
  machine_ = &machine;
  t_world = this;
  thread.owed += thread.stolen;
  thread.stolen = 0;
  thread.demand = {Demand::Kind::kExit, 0};  // unless it wants something else before it returns
  fibers_.resume(number);
  return thread.demand;
}

// It does not go back where a store has cut the time short that a thread was ahead.
Time World::now() {
  Thread& thread = me();
  thread.told = std::max(thread.told, machine_->now() + thread.owed);
  return thread.told;
}

void World::want(Thread& thread, Demand::Kind kind, Time time) {
  thread.demand = {kind, time};
  fibers_.suspend();
}

void World::spend(Thread& thread) {
  if (thread.owed == 0) return;
  const Time owed = thread.owed;
  thread.owed = 0;
  const Time before = thread.task->ran;
  want(thread, Demand::Kind::kSpin, owed);
  thread.spun += thread.task->ran - before;
}

void World::compute(Time time) {
  Thread& thread = me();
  spend(thread);
  thread.spun = 0;
  want(thread, Demand::Kind::kCompute, time);
}

bool World::has_looked_at(const Thread& thread, const Word& word) {
  const unsigned count = std::min(thread.looked, kObserved);
  return std::find(thread.looks, thread.looks + count, &word) != thread.looks + count;
}

void World::begin_store() {
  Thread& thread = me();
  if (thread.owed >= kRunAhead) spend(thread);
  thread.spun = 0;
}

void World::fetch_to_change(const Word& word) {
  Thread& thread = me();
  if (word.changed_by != ~0U && word.changed_by != fibers_.running()) thread.owed += costs_.line;
}

void World::stored(Word& word) {
  word.changed = machine_->now();
  word.changed_by = fibers_.running();
  for (const Observation* observation = word.observations; observation != nullptr;
       observation = observation->next)
    machine_->signal(*threads_[observation->thread].task);
}

void World::observe(Thread& thread) {
  const unsigned count = std::min(thread.looked, kObserved);
  for (unsigned i = 0; i < count; ++i) {
    const Word* word = thread.looks[i];
    bool known = false;
    for (unsigned k = 0; k < thread.observed; ++k)
      known = known || thread.observations[k].word == word;
    if (known) continue;
    Observation& observation = thread.observations[thread.observed++];
    observation.word = word;
    observation.previous = nullptr;
    observation.next = word->observations;
    if (observation.next != nullptr) observation.next->previous = &observation;
    word->observations = &observation;
  }
}

void World::stop_observing(Thread& thread) {
  for (unsigned i = 0; i < thread.observed; ++i) {
    const Observation& observation = thread.observations[i];
    if (observation.next != nullptr) observation.next->previous = observation.previous;
    (observation.previous != nullptr ? observation.previous->next
                                     : observation.word->observations) = observation.next;
  }
  thread.observed = 0;
}

void World::spend_observing(Thread& thread) {
  observe(thread);
  spend(thread);
  stop_observing(thread);
}

// As long as nobody else wants the processor, a yield is a poll. Of many such the kernel is asked once; who
// has come meanwhile waits a little longer.
void World::yield() {
  Thread& thread = me();
  end_poll(thread, costs_.yield, thread.yielded_in_vain ? 2 * costs_.coarse_share : 0);
  if (costs_.coarse_share == 0) {
    spend(thread);
  } else {
    spend_observing(thread);
  }
  thread.looked = 0;
  const Time before = machine_->now();
  want(thread, Demand::Kind::kYield, 0);
  thread.yielded_in_vain = machine_->now() == before;
}

void World::nap(Time time) {
  Thread& thread = me();
  thread.owed += costs_.ask;
  spend(thread);
  thread.spun = 0;
  want(thread, Demand::Kind::kBlock, std::max<Time>(time, 1));
}

bool World::sleep(const Word& word, const std::function<bool()>& still, Time at_most) {
  Thread& thread = me();
  thread.owed += costs_.futex_wait;
  spend(thread);
  thread.spun = 0;
  if (!still()) return false;
  std::list<unsigned>& sleepers = sleepers_[&word];
  sleepers.push_back(fibers_.running());
  want(thread, Demand::Kind::kBlock, at_most);
  if (!thread.task->signalled) sleepers_[&word].remove(fibers_.running());
  return true;
}

// First come, first woken, as in the kernel.
unsigned World::wake(const Word& word) {
  Thread& thread = me();
  thread.owed += costs_.futex_wake;
  spend(thread);
  thread.spun = 0;
  const auto found = sleepers_.find(&word);
  if (found == sleepers_.end()) return 0;
  const std::list<unsigned> woken = std::move(found->second);
  sleepers_.erase(found);
  std::vector<Task*> together;
  for (const unsigned sleeper : woken) {
    Task* const task = threads_[sleeper].task;
    if (costs_.wake_each == 0) {
      together.push_back(task);
      continue;
    }
    thread.owed += costs_.wake_each;
    spend(thread);
    machine_->wake({&task, 1}, thread.task->processor);
  }
  if (!together.empty()) machine_->wake(together, thread.task->processor);
  return static_cast<unsigned>(woken.size());
}

void World::fence_everybody() {
  Thread& thread = me();
  thread.owed += costs_.fence;
  bool beside = false;
  if (costs_.fence_beside != 0 || costs_.fenced != 0) {
    for (Thread& other : threads_) {
      if (&other == &thread || other.task == nullptr || other.task->state != State::kRunning)
        continue;
      other.stolen += costs_.fenced;
      beside = true;
    }
  }
  if (beside) thread.owed += costs_.fence_beside;
  spend(thread);
}

// A thread that is where it must not be goes as if it slept for a moment.
void World::pin(unsigned processor) {
  Thread& thread = me();
  thread.owed += costs_.affinity;
  spend(thread);
  thread.task->pinned = processor;
  if (processor == kNoProcessor || processor == thread.task->processor) return;
  thread.spun = 0;
  want(thread, Demand::Kind::kBlock, 1);
}

}  // namespace muster::smp
