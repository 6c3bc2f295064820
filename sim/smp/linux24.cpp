#include "sim/smp/linux24.h"

#include <algorithm>
#include <tuple>

#include "sim/smp/machine.h"

namespace muster::smp {
namespace {

constexpr unsigned kNoJob = ~0U;
// So that who has anything left is better than who has not, whatever its niceness.
constexpr int kUnniceness = 20;

}  // namespace

struct Linux24::Entry : Task::Queued {
  const Linux24* of = nullptr;
  int counter = 0;  // when it was counted, at `since`
  unsigned on = 0;  // whose ticks it pays for
  Time since = 0;   // up to then it has
  Time until = 0;   // up to then it does, if they are sampled
  Time ticked = 0;  // of Task::ran, as of its last tick
  std::list<Task*>::iterator place;
  bool queued = false;
};

Linux24::Entry& Linux24::entry(const Task& task) { return static_cast<Entry&>(*task.queued); }

int Linux24::counter(const Task& task) { return entry(task).of->left(entry(task)); }

void Linux24::start(Machine& machine) {
  machine_ = &machine;
  last_job_.assign(machine.processors(), kNoJob);
}

void Linux24::add(std::span<Task* const> tasks) {
  for (Task* task : tasks) {
    auto made = std::make_unique<Entry>();
    made->of = this;
    made->counter = rules_.default_ticks;
    task->queued = std::move(made);
  }
  // In the order given, where the kernel would turn it round: who wakes goes to the front.
  for (std::size_t i = tasks.size(); i > 0; --i) make_ready(*tasks[i - 1]);
  // Each idle processor looks for itself: they are not woken by anybody, so there is no race.
  for (unsigned i = 0; i < machine_->processors(); ++i) {
    if (machine_->idle(i)) machine_->interrupt(i);
  }
}

void Linux24::make_ready(Task& task) {
  Entry& one = entry(task);
  if (one.queued) return;
  runnable_.push_front(&task);
  one.place = runnable_.begin();
  one.queued = true;
}

void Linux24::wake(std::span<Task* const> tasks, unsigned) {
  if (rules_.wake_up == WakeUp::kGv) {
    for (Task* task : tasks) make_ready(*task);
    pair_all(tasks);
    return;
  }
  for (Task* task : tasks) {
    make_ready(*task);
    reschedule_idle(*task);
  }
}

int Linux24::goodness(const Task& task, unsigned processor, unsigned job) const {
  const int left = counter(task);
  if (left == 0) return 0;
  int out = left + kUnniceness - task.nice;
  if (task.processor == processor) out += rules_.proc_change_penalty;
  if (task.job == job) out += rules_.same_address_space_bonus;
  return out;
}

int Linux24::advantage(const Task& task, unsigned processor) const {
  const Processor& at = machine_->processor(processor);
  const Task* runs = at.switching ? at.next : at.current;
  const int theirs = runs == nullptr ? 0 : [&] {
    // It is there, even where the switch to it has only begun.
    const int left = counter(*runs);
    if (left == 0) return 0;
    return left + kUnniceness - runs->nice + rules_.proc_change_penalty +
           (runs->job == last_job_[processor] ? rules_.same_address_space_bonus : 0);
  }();
  return goodness(task, processor, last_job_[processor]) - theirs;
}

bool Linux24::may_use(const Task& task, unsigned processor) const {
  return task.pinned == kNoProcessor || task.pinned == processor;
}

bool Linux24::is_taken(unsigned processor) const {
  return rules_.wake_up != WakeUp::kOriginal && machine_->processor(processor).interrupted;
}

void Linux24::reschedule_idle(Task& task) {
  const unsigned found = find_processor(task);
  if (found != kNoProcessor) machine_->interrupt(found);
}

// The one it ran on last if that is idle; else the longest idle; else the one whose thread it is most
// better than, by more than the threshold.
unsigned Linux24::find_processor(const Task& task) const {
  if (task.processor != kNoProcessor && may_use(task, task.processor) &&
      machine_->idle(task.processor) && !is_taken(task.processor))
    return task.processor;
  unsigned longest_idle = kNoProcessor;
  unsigned worst = kNoProcessor;
  int most = rules_.preemption_threshold;
  for (unsigned i = 0; i < machine_->processors(); ++i) {
    if (!may_use(task, i) || is_taken(i)) continue;
    if (machine_->idle(i)) {
      if (longest_idle == kNoProcessor ||
          machine_->processor(i).idle_since < machine_->processor(longest_idle).idle_since)
        longest_idle = i;
    } else if (longest_idle == kNoProcessor) {
      const int more = advantage(task, i);
      if (more > most) {
        most = more;
        worst = i;
      }
    }
  }
  return longest_idle != kNoProcessor ? longest_idle : worst;
}

// The pair with the largest advantage first, then the next of those that are left. An idle processor is
// better than any that runs; the thread's own better than another.
void Linux24::pair_all(std::span<Task* const> tasks) {
  struct Pair {
    int advantage;
    Time idle_since;
    std::size_t task;
    unsigned processor;
  };
  constexpr int kIdle = 1'000'000;
  std::vector<Pair> pairs;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (unsigned i = 0; i < machine_->processors(); ++i) {
      if (!may_use(*tasks[t], i) || is_taken(i)) continue;
      const bool idle = machine_->idle(i);
      const int more = idle ? kIdle + (tasks[t]->processor == i) : advantage(*tasks[t], i);
      if (more > rules_.preemption_threshold)
        pairs.push_back({more, idle ? machine_->processor(i).idle_since : 0, t, i});
    }
  }
  std::ranges::sort(pairs, {}, [](const Pair& pair) {
    return std::tuple(-pair.advantage, pair.idle_since, pair.task, pair.processor);
  });
  std::vector<bool> has(tasks.size());
  for (const Pair& pair : pairs) {
    if (has[pair.task] || is_taken(pair.processor)) continue;
    has[pair.task] = true;
    machine_->interrupt(pair.processor);
  }
}

void Linux24::begin_epoch() {
  ++epochs_;
  for (const auto& task : machine_->tasks()) {
    if (task->queued == nullptr || task->state == State::kGone) continue;
    Entry& one = entry(*task);
    settle(one);
    one.counter = one.counter / 2 + rules_.default_ticks;
  }
  if (rules_.accounting == Accounting::kExact) return;
  for (unsigned i = 0; i < machine_->processors(); ++i) {
    const Processor& at = machine_->processor(i);
    const Task* const runs = at.switching ? at.next : at.current;
    const bool pays = !at.switching || rules_.switching == Switching::kNext;
    if (runs != nullptr && pays) await_end(i, *runs);
  }
}

Task* Linux24::choose(unsigned processor, Task* previous, Left left) {
  if (left == Left::kBlocked || left == Left::kExited) {
    Entry& one = entry(*previous);
    runnable_.erase(one.place);
    one.queued = false;
    previous->processor = processor;
  }
  const bool can_go_on =
      previous != nullptr && (left == Left::kPreempted || left == Left::kYielded);
  for (;;) {
    Task* best = can_go_on && left != Left::kYielded ? previous : nullptr;
    int most = best != nullptr ? goodness(*best, processor, last_job_[processor]) : -1;
    for (Task* task : runnable_) {
      if (task->on_processor || !may_use(*task, processor)) continue;
      const int good = goodness(*task, processor, last_job_[processor]);
      if (good > most) {
        most = good;
        best = task;
      }
    }
    if (best == nullptr && can_go_on) {  // it yielded to nobody
      best = previous;
      most = goodness(*best, processor, last_job_[processor]);
    }
    if (best == nullptr) return nullptr;
    if (most > 0) {
      last_job_[processor] = best->job;
      return best;
    }
    begin_epoch();
  }
}

// What the ticks have left that it has paid for since it was counted last.
int Linux24::left(const Entry& one) const {
  const Time until = std::min(one.until, machine_->ticked(one.on));
  if (until <= one.since) return one.counter;
  const Time ticks = until / rules_.tick - one.since / rules_.tick;
  return static_cast<int>(std::max<Time>(one.counter - ticks, 0));
}

void Linux24::settle(Entry& one) const {
  one.counter = left(one);
  one.since = std::min(one.until, machine_->ticked(one.on));
}

// For the sampled ticks on a processor from now on, up to and with `until`.
void Linux24::pays(Task& task, unsigned processor, Time until) {
  Entry& one = entry(task);
  one.counter = left(one);
  one.on = processor;
  one.since = machine_->now();
  one.until = until;
}

// The tick that takes the last. Who has none, as what a switch to it took was the last, goes at the next one.
void Linux24::await_end(unsigned processor, const Task& task) {
  const Entry& one = entry(task);
  machine_->set_clock(processor,
                      (one.since / rules_.tick + std::max(one.counter, 1)) * rules_.tick);
}

void Linux24::begins(unsigned processor) {
  Task& task = *machine_->processor(processor).current;
  if (rules_.accounting == Accounting::kSampled) {
    pays(task, processor, kNever);
    return await_end(processor, task);
  }
  machine_->set_clock(processor, machine_->now() + entry(task).ticked + rules_.tick - task.ran);
}

void Linux24::switches(unsigned processor) {
  const Processor& at = machine_->processor(processor);
  machine_->set_clock(processor, kNever);
  if (rules_.accounting == Accounting::kExact) return;
  const bool they_pay = rules_.switching == Switching::kPrevious;
  if (at.current != nullptr) {
    const Time takes = they_pay && at.switching ? machine_->shape().context_switch : 0;
    pays(*at.current, processor, machine_->now() + takes);
  }
  if (at.next != nullptr && rules_.switching == Switching::kNext) {
    pays(*at.next, processor, kNever);
    await_end(processor, *at.next);
  }
}

bool Linux24::timer(unsigned processor) {
  if (rules_.accounting == Accounting::kSampled) return true;
  const Processor& at = machine_->processor(processor);
  if (at.switching || at.current == nullptr) return false;
  Entry& one = entry(*at.current);
  one.ticked = at.current->ran;
  if (one.counter > 0) --one.counter;
  if (one.counter == 0) return true;
  begins(processor);
  return false;
}

}  // namespace muster::smp
