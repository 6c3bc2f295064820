#include "sim/smp/cfs.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/smp/machine.h"
#include "sim/smp/weights.h"

namespace muster::smp {
namespace {

constexpr unsigned kShared =
    5;  // threads that share a latency; more have the least granularity each

}  // namespace

struct Cfs::Entity : Task::Queued {
  explicit Entity(Task& of) : task(of), weight(weight_of(of.nice)) {}

  Time in_its_time(Time real) const { return real * 1024 / weight; }
  Time runtime() const { return base + in_its_time(task.ran - since); }

  Task& task;
  const std::int64_t weight;
  unsigned home = kNoProcessor;
  Time base = 0;    // its virtual runtime, when it had run
  Time since = 0;   // so long
  Time chosen = 0;  // what it had run when it was chosen
};

Cfs::Entity& Cfs::entity(const Task& task) { return static_cast<Entity&>(*task.queued); }

void Cfs::start(Machine& machine) {
  machine_ = &machine;
  queues_.resize(machine.processors());
  const Time scale = std::bit_width(machine.processors()) * Time{1'000'000};
  if (rules_.latency == 0) rules_.latency = 5 * scale;
  if (rules_.least_granularity == 0) rules_.least_granularity = scale;
  if (rules_.wake_up_granularity == 0) rules_.wake_up_granularity = scale;
}

unsigned Cfs::place_new(const Task& task) const {
  if (task.pinned != kNoProcessor) return task.pinned;
  const auto used = [&](const Queue& queue) {
    const auto of_job = [&](const Entity* one) { return one->task.job == task.job; };
    const auto same = std::ranges::count_if(queue.waiting, of_job) +
                      (queue.current != nullptr && of_job(queue.current) ? 1 : 0);
    return std::pair(same, queue.threads());
  };
  return static_cast<unsigned>(std::ranges::min_element(queues_, {}, used) - queues_.begin());
}

// Of the queue's threads, and so many that are about to join.
Time Cfs::slice(const Queue& queue, const Entity& one, unsigned more) const {
  const unsigned threads = queue.threads() + more;
  const Time period =
      threads <= kShared ? rules_.latency : rules_.least_granularity * Time{threads};
  return period * one.weight / queue.weight;
}

void Cfs::raise_floor(Queue& queue) const {
  Time least = kNever;
  if (queue.current != nullptr) least = queue.current->runtime();
  if (!queue.waiting.empty()) least = std::min(least, queue.waiting.front()->runtime());
  if (least != kNever) queue.floor = std::max(queue.floor, least);
}

void Cfs::insert(Queue& queue, Entity& one) const {
  const auto after = std::ranges::upper_bound(queue.waiting, one.runtime(), {}, &Entity::runtime);
  queue.waiting.insert(after, &one);
}

void Cfs::join(Entity& one, Time runtime) {
  Queue& queue = queues_[one.home];
  one.base = runtime;
  one.since = one.task.ran;
  insert(queue, one);
  const Processor& processor = machine_->processor(one.home);
  if (processor.interrupted) return;
  const bool preempts = queue.current == nullptr || queue.current->runtime() - runtime >
                                                        one.in_its_time(rules_.wake_up_granularity);
  if (preempts) machine_->interrupt(one.home);
}

void Cfs::add(std::span<Task* const> tasks) {
  for (Task* task : tasks) {
    task->queued = std::make_unique<Entity>(*task);
    Entity& one = entity(*task);
    one.home = place_new(*task);
    Queue& queue = queues_[one.home];
    if (queue.current != nullptr) machine_->bring_up_to_date(one.home);
    raise_floor(queue);
    queue.weight += one.weight;
    join(one, queue.floor + one.in_its_time(slice(queue, one, 1)));
  }
}

unsigned Cfs::place_woken(const Entity& one) const {
  const auto is_free = [](const Queue& queue) {
    return queue.current == nullptr && queue.waiting.empty();
  };
  if (!rules_.wake_to_idle || one.task.pinned != kNoProcessor || is_free(queues_[one.home]))
    return one.home;
  const auto idle = std::ranges::find_if(queues_, is_free);
  return idle != queues_.end() ? static_cast<unsigned>(idle - queues_.begin()) : one.home;
}

void Cfs::wake(std::span<Task* const> tasks, unsigned) {
  for (Task* task : tasks) {
    Entity& one = entity(*task);
    const unsigned place = place_woken(one);
    Queue& queue = queues_[place];
    if (queue.current != nullptr) machine_->bring_up_to_date(place);
    raise_floor(queue);
    const Time runtime = one.runtime() + queue.floor - queues_[one.home].floor;
    one.home = place;
    queue.weight += one.weight;
    const Time credit = rules_.sleeper_credit ? rules_.latency / 2 : 0;
    join(one, std::max(runtime, queue.floor - credit));
  }
}

Task* Cfs::choose(unsigned processor, Task* previous, Left left) {
  Queue& queue = queues_[processor];
  if (queue.current != nullptr) machine_->bring_up_to_date(processor);
  raise_floor(queue);
  if (queue.current != nullptr) {
    Entity& was = *queue.current;
    queue.current = nullptr;
    if (left == Left::kBlocked || left == Left::kExited) {
      queue.weight -= was.weight;
    } else {
      insert(queue, was);
    }
    raise_floor(queue);
  }
  if (queue.waiting.empty()) return nullptr;
  Entity* const best = queue.waiting.front();
  queue.waiting.erase(queue.waiting.begin());
  queue.current = best;
  if (&best->task != previous) best->chosen = best->task.ran;
  return &best->task;
}

void Cfs::begins(unsigned processor) {
  const Time skew = rules_.tick / 2 / machine_->processors() * processor;
  const Time since = machine_->now() - skew;  // negative before the first tick
  const Time passed = since < 0 ? 0 : since / rules_.tick + 1;
  machine_->set_timer(processor, passed * rules_.tick + skew);
}

bool Cfs::timer(unsigned processor) {
  const Processor& at = machine_->processor(processor);
  if (at.switching || at.current == nullptr) return false;
  machine_->bring_up_to_date(processor);
  begins(processor);
  const Queue& queue = queues_[processor];
  if (queue.waiting.empty()) return false;
  const Entity& one = *queue.current;
  const Time ran = one.task.ran - one.chosen;
  const Time own = slice(queue, one);
  if (ran > own) return true;
  return ran >= rules_.least_granularity && one.runtime() - queue.waiting.front()->runtime() > own;
}

}  // namespace muster::smp
