#include "sim/smp/machine.h"

#include <algorithm>
#include <stdexcept>

namespace muster::smp {

Machine::Machine(const MachineShape& shape, Scheduler& scheduler, Observer* observer)
    : shape_(shape), scheduler_(scheduler), observer_(observer), processors_(shape.processors) {}

Task& Machine::make_task(unsigned job, std::unique_ptr<Behaviour> behaviour) {
  tasks_.push_back(std::make_unique<Task>());
  Task& task = *tasks_.back();
  task.number = static_cast<unsigned>(tasks_.size() - 1);
  task.job = job;
  task.behaviour = std::move(behaviour);
  return task;
}

void Machine::arrive(std::vector<Task*> tasks, Time time) {
  at(time, [this, tasks = std::move(tasks)] {
    for (Task* task : tasks) set_state(*task, State::kReady);
    scheduler_.add(tasks);
  });
}

void Machine::at(Time time, std::function<void()> what) {
  calls_.push_back(std::move(what));
  schedule(time, Kind::kCall, static_cast<unsigned>(calls_.size() - 1), 0);
}

void Machine::run(Time limit) {
  scheduler_.start(*this);
  while (!stopped_ && !events_.empty() && events_.top().at <= limit) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    ticking_ = event.order < kUsual ? event.number : kNoProcessor;
    take(event);
  }
  ticking_ = kNoProcessor;
  const bool anybody_runs = std::ranges::any_of(
      processors_, [](const Processor& processor) { return processor.current != nullptr; });
  const bool all_gone =
      std::ranges::all_of(tasks_, [](const auto& task) { return task->state == State::kGone; });
  if (!stopped_ && (!events_.empty() || anybody_runs)) {
    if (limit == kNever) throw std::runtime_error("the simulated threads run for ever");
    now_ = limit;
  } else if (!stopped_ && !all_gone) {
    throw std::runtime_error("all simulated threads wait for ever");
  }
  for (unsigned number = 0; number < processors(); ++number) {
    bring_up_to_date(number);
    set_activity(number, processors_[number].activity);
  }
  for (const auto& task : tasks_) set_state(*task, task->state);
}

// The clock's come first, by processor, whoever gives up a spin last.
std::uint64_t Machine::order_of(unsigned number, Rank rank) {
  if (rank == Rank::kClock) return number;
  return order_++ | (rank == Rank::kGivesUp ? kGivesUp : 0);
}

void Machine::schedule(Time at, Kind kind, unsigned number, std::uint64_t turn, Rank rank) {
  events_.push({at, order_of(number, rank), turn, number, kind});
}

// Of what the thread that runs on a processor does.
void Machine::await_end(unsigned number) {
  Processor& processor = processors_[number];
  const Task& task = *processor.current;
  ++processor.turn;
  if (task.left == kNever) return;
  schedule(now_ + task.left, Kind::kMet, number, processor.turn,
           task.spinning ? Rank::kGivesUp : Rank::kUsual);
}

void Machine::take(const Event& event) {
  switch (event.kind) {
    case Kind::kSwitched:
      return switched(event.number);
    case Kind::kLeft:
      return left(*tasks_[event.number], tasks_[event.number]->processor);
    case Kind::kMet:
      if (event.turn != processors_[event.number].turn) return;
      bring_up_to_date(event.number);
      return ask(event.number);
    case Kind::kTimer:
      if (!is_time(event)) return;
      bring_up_to_date(event.number);
      if (!scheduler_.timer(event.number)) return;
      if (processors_[event.number].switching) return interrupt(event.number);
      return leave(event.number, processors_[event.number].current == nullptr
                                     ? Scheduler::Left::kIdle
                                     : Scheduler::Left::kPreempted);
    case Kind::kInterrupt: {
      Processor& processor = processors_[event.number];
      if (!processor.interrupted || processor.switching) return;  // the switch's end looks again
      return leave(event.number, processor.current == nullptr ? Scheduler::Left::kIdle
                                                              : Scheduler::Left::kPreempted);
    }
    case Kind::kTimeout: {
      Task& task = *tasks_[event.number];
      if (event.turn != task.timer || task.state != State::kBlocked) return;
      Task* const woken[] = {&task};
      wake(woken, kNoProcessor);
      task.signalled = false;
      return;
    }
    case Kind::kCall:
      return calls_[event.number]();
  }
}

void Machine::signal(Task& task) {
  if (!task.spinning || task.demand.kind != Demand::Kind::kSpin || task.signalled) return;
  task.signalled = true;
  if (task.state != State::kRunning) return;  // finds it when it runs
  Processor& processor = processors_[task.processor];
  if (processor.current == &task && !processor.switching) {
    schedule(now_, Kind::kMet, task.processor, ++processor.turn);
  }
}

void Machine::wake(std::span<Task* const> tasks, unsigned processor) {
  std::vector<Task*> ready;
  for (Task* task : tasks) {
    if (task->state != State::kBlocked) continue;
    task->signalled = true;
    ++task->timer;
    if (task->on_processor) {
      task->wake_comes = true;
    } else {
      set_state(*task, State::kReady);
      ready.push_back(task);
    }
  }
  if (!ready.empty()) scheduler_.wake(ready, processor);
}

void Machine::interrupt(unsigned number, Time delay) {
  Processor& processor = processors_[number];
  if (processor.interrupted) return;
  processor.interrupted = true;
  if (!processor.switching) schedule(now_ + delay, Kind::kInterrupt, number, 0);
}

// The order is what an event made now would have.
void Machine::set_timer(unsigned number, Time at, Rank rank) {
  Processor::Timer& timer = processors_[number].timer;
  timer.at = at;
  if (at == kNever) return;
  timer.order = order_of(number, rank);
  if (timer.event <= at) return;
  timer.event = at;
  events_.push({at, timer.order, ++timer.turn, number, Kind::kTimer});
}

// Of a timer's event, which is then gone, or put off.
bool Machine::is_time(const Event& event) {
  Processor::Timer& timer = processors_[event.number].timer;
  if (event.turn != timer.turn) return false;
  timer.event = kNever;
  if (timer.at == kNever) return false;
  if (timer.at == event.at && timer.order == event.order) {
    timer.at = kNever;
    return true;
  }
  timer.event = timer.at;
  events_.push({timer.at, timer.order, ++timer.turn, event.number, Kind::kTimer});
  return false;
}

void Machine::bring_up_to_date(unsigned number) {
  Processor& processor = processors_[number];
  if (processor.current == nullptr || processor.switching) return;
  Task& task = *processor.current;
  const Time passed = now_ - task.since;
  if (passed == 0) return;
  task.ran += passed;
  (task.spinning ? task.spun : task.computed) += passed;
  if (task.left != kNever) task.left -= std::min(passed, task.left);
  task.since = now_;
}

// The thread that a processor has begins to run, or goes on.
void Machine::go_on(unsigned number) {
  Processor& processor = processors_[number];
  Task& task = *processor.current;
  // A spin whose time is over ends at the end of this moment, like any other.
  const bool met = task.spinning ? task.signalled : task.left == 0;
  scheduler_.begins(number);
  if (met) return ask(number);
  set_activity(number, task.spinning ? Activity::kSpinning : Activity::kComputing);
  await_end(number);
}

// The thread that runs has met its demand: what next?
void Machine::ask(unsigned number) {
  Processor& processor = processors_[number];
  Task& task = *processor.current;
  for (;;) {
    task.demand = task.behaviour->next(*this, task);
    const bool spins = task.demand.kind == Demand::Kind::kSpin;
    if (stopped_) return;
    const bool changed = spins != task.spinning;
    task.spinning = spins;
    task.left = task.demand.time;
    switch (task.demand.kind) {
      case Demand::Kind::kCompute:
        if (task.left == 0) continue;
        break;
      case Demand::Kind::kSpin:
        task.signalled = false;
        if (task.left == 0) continue;
        break;
      case Demand::Kind::kBlock:
        task.left = 0;
        task.signalled = false;
        if (task.demand.time != kNever) {
          schedule(now_ + task.demand.time, Kind::kTimeout, task.number, ++task.timer);
        }
        set_state(task, State::kBlocked);
        return leave(number, Scheduler::Left::kBlocked);
      case Demand::Kind::kYield:
        task.left = 0;
        return leave(number, Scheduler::Left::kYielded);
      case Demand::Kind::kExit:
        set_state(task, State::kGone);
        return leave(number, Scheduler::Left::kExited);
    }
    if (changed && observer_ != nullptr) observer_->thread_changed(now_, task);
    set_activity(number, spins ? Activity::kSpinning : Activity::kComputing);
    return await_end(number);
  }
}

// The processor chooses anew.
void Machine::leave(unsigned number, Scheduler::Left left) {
  bring_up_to_date(number);
  Processor& processor = processors_[number];
  processor.interrupted = false;
  Task* const previous = processor.current;
  Task* const next = scheduler_.choose(number, previous, left);
  if (next == previous) {
    if (next != nullptr) go_on(number);
    return;
  }
  if (previous != nullptr && previous->state == State::kRunning)
    set_state(*previous, State::kReady);
  switch_to(number, next);
}

void Machine::switch_to(unsigned number, Task* next) {
  Processor& processor = processors_[number];
  if (next != nullptr) {
    if (next->on_processor) throw std::logic_error("a thread was chosen twice");
    next->on_processor = true;
  }
  if (next == nullptr) {
    processor.idle_since = now_;
    set_timer(number, kNever);
    if (shape_.idle_at_once) return become_idle(number);
  }
  processor.next = next;
  processor.switching = true;
  ++processor.turn;
  set_activity(number, Activity::kSwitching);
  schedule(now_ + shape_.context_switch, Kind::kSwitched, number, 0);
  scheduler_.switches(number);
}

// Without a switch: another thread can be given the processor, while the one that leaves cannot run anywhere yet.
void Machine::become_idle(unsigned number) {
  Processor& processor = processors_[number];
  schedule(now_ + shape_.context_switch, Kind::kLeft, processor.current->number, 0);
  scheduler_.switches(number);
  processor.current = nullptr;
  ++processor.turn;
  set_activity(number, Activity::kIdle);
}

void Machine::switched(unsigned number) {
  Processor& processor = processors_[number];
  Task* const previous = processor.current;
  Task* const next = processor.next;
  processor.switching = false;
  processor.current = next;
  processor.next = nullptr;
  if (next == nullptr) {
    set_activity(number, Activity::kIdle);
  } else {
    next->processor = number;
    set_state(*next, State::kRunning);
  }
  if (previous != nullptr) left(*previous, number);
  if (processor.interrupted) {
    schedule(now_ + shape_.interrupt_delay, Kind::kInterrupt, number, 0);
  }
  if (next != nullptr) go_on(number);
}

// The switch away from a thread is over.
void Machine::left(Task& task, unsigned number) {
  task.on_processor = false;
  if (task.wake_comes) {
    task.wake_comes = false;
    set_state(task, State::kReady);
    Task* const woken[] = {&task};
    scheduler_.wake(woken, number);
  } else if (task.state == State::kReady) {
    scheduler_.released(task);
  }
}

void Machine::set_activity(unsigned number, Activity activity) {
  Processor& processor = processors_[number];
  processor.times[static_cast<int>(processor.activity)] += now_ - processor.since;
  processor.since = now_;
  // A switch may follow upon a switch, to another thread.
  if (processor.activity == activity && activity != Activity::kSwitching) return;
  processor.activity = activity;
  if (observer_ != nullptr) observer_->processor_changed(now_, number, processor);
}

void Machine::set_state(Task& task, State state) {
  if (task.state == State::kReady) task.was_ready += now_ - task.since;
  if (task.state == State::kBlocked) task.was_blocked += now_ - task.since;
  task.since = now_;
  if (task.state == state) return;
  task.state = state;
  if (observer_ != nullptr) observer_->thread_changed(now_, task);
}

}  // namespace muster::smp
