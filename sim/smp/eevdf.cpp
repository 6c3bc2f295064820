#include "sim/smp/eevdf.h"

#include <algorithm>
#include <bit>

#include "sim/smp/machine.h"
#include "sim/smp/weights.h"

namespace muster::smp {
Time Eevdf::now() const { return machine_->now(); }

void Eevdf::start(Machine& machine) {
  machine_ = &machine;
  const unsigned processors = machine.processors();
  rules_.llc = std::min(rules_.llc, processors);
  // The kernel's tunable scaling: logarithmic in the processors, of which it counts 8 at most.
  const auto scale = static_cast<Time>(std::bit_width(std::min(processors, 8U)));
  base_slice_ = rules_.base_slice != 0 ? rules_.base_slice : 700'000 * scale;
  processors_.resize(processors);
  caches_.resize((processors + rules_.llc - 1) / rules_.llc);
  idle_ = ProcessorSet(processors);
  for (unsigned i = 0; i < processors; ++i) {
    Own& own = processors_[i];
    own.queue.set_rules(&rules_, base_slice_);
    own.average_idle = 2 * rules_.migration_cost;
    own.idle_since = 0;
    for (unsigned level = 0; level < levels(); ++level)
      own.domains[level].interval = span(i, level) * Time{1'000'000};
    idle_.add(i);
  }
  for (Cache& cache : caches_) cache.scan = rules_.llc;
}

// What the thread that runs has run is put down to it. True: it is time to choose anew.
bool Eevdf::charge(unsigned processor) {
  Own& own = processors_[processor];
  Fair* const one = own.queue.current();
  if (one == nullptr) return false;
  machine_->bring_up_to_date(processor);
  const Time ran = one->task->ran - one->charged;
  one->charged = one->task->ran;
  one->last_ran = now();
  return own.queue.charge(ran);
}

// The queue has changed: what is known of it beside it follows.
void Eevdf::changed(unsigned processor) {
  Own& own = processors_[processor];
  const unsigned runnable = own.queue.runnable();
  own.load.set_level(now(), static_cast<double>(own.queue.weight()));
  own.pressure.set_level(now(), 1024.0 * runnable);
  overloaded_ += (runnable > 1) - (own.counted > 1);
  caches_[cache_of(processor)].runnable += runnable - own.counted;
  own.counted = runnable;
}

void Eevdf::add(std::span<Task* const> tasks) {
  for (Task* task : tasks) {
    auto made = std::make_unique<Fair>(*task);
    made->weight = weight_of(task->nice);
    // A new thread is thought to be busy, until more is known.
    made->load.shift(now(), static_cast<double>(made->weight));
    made->charged = task->ran;
    task->queued = std::move(made);
    Fair& one = fair(*task);
    const unsigned place = place_new(one);
    Own& own = processors_[place];
    // As busy as half of what is left there.
    const double busy = std::max(0.0, (1024 - own.utilization.at(now())) / 2);
    for (Decaying* average : {&one.utilization, &own.utilization, &own.pressure})
      average->shift(now(), busy);
    enqueue(one, place, true, place);
  }
}

void Eevdf::attach(Fair& one, unsigned processor, bool is_new) {
  Own& own = processors_[processor];
  if (one.home != processor) {
    // It brings its load along.
    const double load = one.load.at(now());
    if (one.home != kNoProcessor) {
      processors_[one.home].load.shift(now(), -load);
      ++migrations_;
    }
    own.load.shift(now(), load);
    one.home = processor;
    one.last_ran = std::min<Time>(one.last_ran, now() - rules_.migration_cost);  // not hot there
  }
  own.queue.join(one, is_new);
  one.touched = ++order_;
  one.load.set_level(now(), static_cast<double>(one.weight));
  idle_.remove(processor);
  changed(processor);
}

void Eevdf::enqueue(Fair& one, unsigned processor, bool is_new, unsigned by) {
  const bool slice_over = charge(processor);
  attach(one, processor, is_new);
  Own& own = processors_[processor];
  if (own.idle_since != kNever) {
    const Time slept = now() - own.idle_since;
    own.average_idle =
        std::min(own.average_idle + (slept - own.average_idle) / 8, 2 * rules_.migration_cost);
    own.idle_since = kNever;
  }
  check_preemption(one, processor, by, slice_over);
}

void Eevdf::check_preemption(Fair& one, unsigned processor, unsigned by, bool slice_over) {
  if (machine_->processor(processor).interrupted) return;
  if (slice_over || processors_[processor].queue.preempts(one)) reschedule(processor, by);
}

void Eevdf::reschedule(unsigned processor, unsigned by) {
  Time delay = processor == by ? 0 : machine_->shape().interrupt_delay;
  if (machine_->idle(processor)) delay += rules_.idle_exit;
  machine_->interrupt(processor, delay);
}

void Eevdf::wake(std::span<Task* const> tasks, unsigned processor) {
  for (Task* task : tasks) {
    Fair& one = fair(*task);
    // A clock rings where the thread went to sleep.
    const unsigned by = processor != kNoProcessor ? processor : one.home;
    if (one.delayed) {
      const bool slice_over = charge(one.home);
      processors_[one.home].queue.revive(one);
      changed(one.home);
      check_preemption(one, one.home, by, slice_over);
      continue;
    }
    Task* const waker =
        processor != kNoProcessor ? machine_->processor(processor).current : nullptr;
    const unsigned place =
        place_woken(one, by, waker != nullptr && waker != task ? &fair(*waker) : nullptr);
    enqueue(one, place, false, by);
  }
}

Task* Eevdf::choose(unsigned processor, Task* previous, Left left) {
  Own& own = processors_[processor];
  charge(processor);
  Fair* const was = own.queue.current();
  bool gone = false;
  if (left == Left::kYielded) own.queue.yield();
  if (left == Left::kBlocked) gone = own.queue.block();
  if (left == Left::kExited) {
    own.queue.leave(*was, true);
    gone = true;
  }
  if (gone) was->load.set_level(now(), 0);
  if (own.push_to != kNoProcessor) push(processor);
  Fair* best = nullptr;
  for (;;) {
    changed(processor);
    if (own.queue.size() == 0 && !pull(processor)) break;
    best = own.queue.pick(true);
    if (!best->delayed) break;
    own.queue.leave_delayed(*best);
    best->load.set_level(now(), 0);
    best = nullptr;
  }
  own.queue.run(best);
  if (previous != nullptr && (best == nullptr || best->task != previous))
    fair(*previous).utilization.set_level(now(), 0);
  if (best == nullptr) {
    own.utilization.set_level(now(), 0);
    own.next_tick = kNever;
    idle_.add(processor);
    return nullptr;
  }
  best->touched = ++order_;
  best->last_ran = now();
  best->utilization.set_level(now(), 1024);
  own.utilization.set_level(now(), 1024);
  own.idle_since = kNever;
  return best->task;
}

// Active balancing, which can also move the thread that runs: that one when the switch away is over.
void Eevdf::push(unsigned processor) {
  Own& own = processors_[processor];
  const unsigned to = own.push_to;
  own.push_to = kNoProcessor;
  if (own.queue.size() < 2) return;
  std::vector<Fair*> all = own.queue.waiting();
  if (own.queue.current() != nullptr) all.push_back(own.queue.current());
  std::ranges::sort(all, {}, &Fair::touched);
  for (Fair* one : all) {
    if (one->delayed || !may_use(*one, to)) continue;
    if (one->task->on_processor && one != own.queue.current()) continue;
    const bool runs = one == own.queue.current();
    own.queue.leave(*one, false);
    ++active_balances_;
    if (runs) {
      one->moves_to = to;
      one->moved_by = processor;
    } else {
      enqueue(*one, to, false, processor);
    }
    return;
  }
}

void Eevdf::released(Task& task) {
  Fair& one = fair(task);
  if (one.moves_to == kNoProcessor) return;
  const unsigned to = one.moves_to;
  one.moves_to = kNoProcessor;
  enqueue(one, to, false, one.moved_by);
}

void Eevdf::arm_tick(unsigned processor) {
  Own& own = processors_[processor];
  own.next_tick = (now() / rules_.tick + 1) * rules_.tick;
  machine_->set_timer(processor, own.next_tick);
}

// A tick that came during the switch is taken now.
void Eevdf::begins(unsigned processor) {
  const Time next = processors_[processor].next_tick;
  if (next == kNever) return arm_tick(processor);
  if (next <= now()) machine_->set_timer(processor, now());
}

// All processors' ticks come at the same time, and each balances before it chooses anew: so all look before
// anybody has changed.
bool Eevdf::timer(unsigned processor) {
  const Processor& at = machine_->processor(processor);
  if (at.switching || at.current == nullptr) return false;
  arm_tick(processor);
  const bool slice_over = charge(processor);
  balance_at_tick(processor);
  if (!slice_over || at.interrupted) return slice_over;
  machine_->interrupt(processor, 0);
  return false;
}

}  // namespace muster::smp
