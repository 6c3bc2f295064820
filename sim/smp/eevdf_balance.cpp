// Balancing: which processor takes threads from which (kernel/sched/fair.c: sched_balance_rq and what calls
// it). A processor that runs out of threads pulls one at once; at ticks each looks now and then, and those
// that sleep are looked after by one that has more than it can run.
#include <algorithm>
#include <cmath>

#include "sim/smp/eevdf.h"
#include "sim/smp/machine.h"

namespace muster::smp {
namespace {

constexpr double kCapacity = 1024;       // of a processor
constexpr double kImbalance = 1.17;      // what is worth moving for
constexpr unsigned kBusyFactor = 16;     // who has something to do looks so much more rarely
constexpr unsigned kPatience = 1;        // failures, after which cache-hot threads are moved too
constexpr unsigned kMostMoves = 32;      // looked at, each time
constexpr Time kSampleTime = 1'024'000;  // averages are not newer than the kernel's would be
constexpr Time kMillisecond = 1'000'000;

}  // namespace

// Processors among which nothing is to be balanced: one, or those of a cache.
struct Eevdf::Group {
  enum class Kind : std::uint8_t { kSpare, kBusy, kOverloaded };
  unsigned begin = 0;
  unsigned end = 0;
  unsigned runnable = 0;
  unsigned idle = 0;
  double load = 0;
  double pressure = 0;
  double utilization = 0;
  Kind kind = Kind::kSpare;

  unsigned size() const { return end - begin; }
  double capacity() const { return kCapacity * size(); }
  double load_each() const { return load / size(); }
};

struct Eevdf::Imbalance {
  Group busiest;
  Move what = Move::kTasks;
  double amount = 0;  // 0: there is none
};

unsigned Eevdf::span(unsigned processor, unsigned level) const {
  if (level == 1) return count();
  const unsigned begin = cache_of(processor) * rules_.llc;
  return std::min(begin + rules_.llc, count()) - begin;
}

Eevdf::Group Eevdf::group(unsigned begin, unsigned end, unsigned level) {
  Group out;
  out.begin = begin;
  out.end = end;
  if (level == 0) {
    const Own& own = processors_[begin];
    out.runnable = own.counted;
    out.idle = idle_.has(begin);
    out.load = own.load.at(now());
    out.pressure = own.pressure.at(now());
    out.utilization = own.utilization.at(now());
  } else {
    Cache& cache = caches_[cache_of(begin)];
    if (cache.sampled < 0 || now() - cache.sampled >= kSampleTime) {
      cache.sampled = now();
      cache.load = cache.pressure = cache.utilization = 0;
      for (unsigned i = begin; i < end; ++i) {
        cache.load += processors_[i].load.at(now());
        cache.pressure += processors_[i].pressure.at(now());
        cache.utilization += processors_[i].utilization.at(now());
      }
    }
    out.runnable = cache.runnable;
    for (unsigned i = begin; i < end; ++i) out.idle += idle_.has(i);
    out.load = cache.load;
    out.pressure = cache.pressure;
    out.utilization = cache.utilization;
  }
  const bool pressed =
      out.capacity() < out.pressure * kImbalance || out.capacity() < out.utilization * kImbalance;
  if (out.runnable > out.size() && pressed) {
    out.kind = Group::Kind::kOverloaded;
  } else if (out.runnable >= out.size() && pressed) {
    out.kind = Group::Kind::kBusy;
  }
  return out;
}

Eevdf::Imbalance Eevdf::find_imbalance(unsigned processor, unsigned level, Balance why) {
  using Kind = Group::Kind;
  const unsigned step = level == 0 ? 1 : rules_.llc;
  const unsigned first = level == 0 ? cache_of(processor) * rules_.llc : 0;
  const unsigned last = first + span(processor, level);
  const unsigned own = processor / step * step;
  Group local;
  Imbalance out;
  bool found = false;
  double all_load = 0;
  double all_utilization = 0;
  // From the own group on, so that not all pick the same.
  const unsigned groups = (last - first + step - 1) / step;
  for (unsigned n = 0; n < groups; ++n) {
    const unsigned begin = first + ((own - first) / step + n) % groups * step;
    const Group one = group(begin, std::min(begin + step, last), level);
    all_load += one.load;
    all_utilization += one.utilization;
    if (n == 0) {
      local = one;
      continue;
    }
    if (one.runnable == 0) continue;
    const Group& best = out.busiest;
    const auto busier = [&] {
      if (one.kind != best.kind) return one.kind > best.kind;
      if (one.kind != Kind::kSpare) return one.load_each() > best.load_each();
      return one.idle != best.idle ? one.idle < best.idle : one.runnable > best.runnable;
    };
    if (!found || busier()) out.busiest = one;
    found = true;
  }
  if (level == 0 && why != Balance::kNewlyIdle) {
    // The busier its processors, the shorter a wake-up's search for an idle one.
    const double each = all_utilization / (last - first);
    const double busy =
        std::min(1.0, each * each * kImbalance * kImbalance / (kCapacity * kCapacity));
    caches_[cache_of(processor)].scan = static_cast<unsigned>((1 - busy) * (last - first));
  }
  if (!found || local.kind > out.busiest.kind) return {};
  const Group& busiest = out.busiest;
  const double load_each = all_load / (last - first);
  if (local.kind == Kind::kOverloaded &&
      (local.load_each() >= busiest.load_each() || local.load_each() >= load_each ||
       busiest.load_each() <= kImbalance * local.load_each()))
    return {};

  double difference = busiest.runnable > local.runnable ? busiest.runnable - local.runnable : 0;
  if (difference <= 1 && local.runnable == 0 && busiest.runnable > 1) difference = 2;
  const bool siblings_differ = level == 1 && local.kind == Kind::kSpare && difference > 1;
  if (!siblings_differ && busiest.kind != Kind::kOverloaded) {
    if (why == Balance::kBusy) return {};
    if (busiest.size() > 1 && local.idle <= busiest.idle + 1) return {};
    if (busiest.runnable == 1) return {};
  }
  if (local.kind == Kind::kSpare) {
    if (busiest.kind == Kind::kOverloaded && level == 1) {
      out.what = Move::kUtilization;
      out.amount = std::max(0.0, local.capacity() - local.utilization);
      if (why == Balance::kBusy || out.amount > 0) return out;
      out.what = Move::kTasks;
      out.amount = 1;
      return out;
    }
    out.amount = std::floor(difference / 2);
    return out;
  }
  if (local.load_each() >= busiest.load_each() || local.load_each() >= load_each) return {};
  out.what = Move::kLoad;
  out.amount = std::min((busiest.load_each() - load_each) * busiest.size(),
                        (load_each - local.load_each()) * local.size());
  return out;
}

unsigned Eevdf::busiest_of(const Imbalance& found) const {
  unsigned best = kNoProcessor;
  double most = 0;
  for (unsigned i = found.busiest.begin; i < found.busiest.end; ++i) {
    const Own& own = processors_[i];
    if (own.counted == 0) continue;
    double value = own.counted;
    if (found.what == Move::kLoad) {
      value = own.load.at(now());
      if (own.counted == 1 && value > found.amount) continue;
    }
    if (found.what == Move::kUtilization) {
      if (own.counted == 1) continue;
      value = own.utilization.at(now());
    }
    if (value > most) {
      most = value;
      best = i;
    }
  }
  return best;
}

bool Eevdf::may_move(const Fair& one, unsigned to, const Domain& domain) const {
  if (one.delayed || !may_use(one, to)) return false;
  return domain.failed > kPatience || now() - one.last_ran >= rules_.migration_cost;
}

// Those that have waited longest first. How many were moved.
unsigned Eevdf::move(unsigned from, unsigned to, Balance why, const Domain& domain,
                     Imbalance what) {
  Own& source = processors_[from];
  charge(from);
  std::vector<Fair*> waiting = source.queue.waiting();
  std::ranges::sort(waiting, {}, &Fair::touched);
  if (waiting.size() > kMostMoves) waiting.resize(kMostMoves);
  unsigned moved = 0;
  for (Fair* one : waiting) {
    if (source.queue.size() <= 1) break;
    if (!may_move(*one, to, domain)) continue;
    // Its processor is being switched to another. A balancer waits for that (the queue's lock); one that
    // chooses at this moment cannot.
    if (one->task->on_processor && why == Balance::kNewlyIdle) continue;
    // After each failure half as much is enough.
    const double shrink = std::ldexp(1.0, -static_cast<int>(std::min(domain.failed, 63U)));
    double weighs = 1;
    if (what.what == Move::kLoad) weighs = std::max(1.0, one->load.at(now()));
    if (what.what == Move::kUtilization) weighs = one->utilization.at(now());
    if (what.what != Move::kTasks && weighs * shrink > what.amount) continue;
    what.amount -= weighs;
    source.queue.leave(*one, false);
    changed(from);
    const unsigned by = why == Balance::kBusy ? to : from;
    if (why == Balance::kNewlyIdle) {
      attach(*one, to, false);
    } else if (one->task->on_processor) {
      one->moves_to = to;
      one->moved_by = by;
    } else {
      enqueue(*one, to, false, by);
    }
    ++moved;
    if (why == Balance::kNewlyIdle || what.amount <= 0) break;
  }
  return moved;
}

// Of a group one processor looks for all: the first that is idle, else the first.
bool Eevdf::is_in_charge(unsigned processor, unsigned level, Balance why) const {
  if (level == 0 || why == Balance::kNewlyIdle) return true;
  const unsigned begin = cache_of(processor) * rules_.llc;
  const unsigned idle = idle_.first(begin, std::min(begin + rules_.llc, count()));
  return processor == (idle != kNoProcessor ? idle : begin);
}

bool Eevdf::balance(unsigned processor, unsigned level, Balance why) {
  Domain& domain = processors_[processor].domains[level];
  const Time shortest = span(processor, level) * kMillisecond;
  if (!is_in_charge(processor, level, why)) return false;
  const Imbalance found = find_imbalance(processor, level, why);
  const unsigned from = found.amount > 0 ? busiest_of(found) : kNoProcessor;
  if (from == kNoProcessor || from == processor) {
    domain.failed = 0;
    if (why != Balance::kNewlyIdle) domain.interval = std::min(2 * domain.interval, 2 * shortest);
    return false;
  }
  if (processors_[from].counted > 1 && move(from, processor, why, domain, found) > 0) {
    domain.failed = 0;
    domain.interval = shortest;
    return true;
  }
  if (why != Balance::kNewlyIdle) ++domain.failed;
  const Fair* const runs = processors_[from].queue.current();
  if (found.what == Move::kTasks && domain.failed > kPatience + 2 && runs != nullptr &&
      may_use(*runs, processor) && processors_[from].push_to == kNoProcessor) {
    processors_[from].push_to = processor;
    machine_->interrupt(from, machine_->shape().interrupt_delay);
    domain.failed = kPatience + 1;
  }
  domain.interval = shortest;
  return false;
}

// Before it goes idle. Not where it would take longer than it is idle as a rule, nor, by the dice, more
// often than it is of use. True: it has got something.
bool Eevdf::pull(unsigned processor) {
  Own& own = processors_[processor];
  own.idle_since = now();
  // From now on it looks more often.
  for (unsigned level = 0; level < levels(); ++level)
    own.next_balance = std::min(own.next_balance, next_time(own.domains[level], Balance::kIdle));
  if (overloaded_ == 0) return false;
  Time spent = 0;
  for (unsigned level = 0; level < levels(); ++level) {
    Domain& domain = own.domains[level];
    const Time cost = rules_.newidle_cost * span(processor, level);
    if (own.average_idle < spent + cost) break;
    unsigned weight = 1;
    const auto count_call = [&](unsigned success) {
      domain.newidle_successes += success;
      if (++domain.newidle_calls < 1024) return;
      domain.newidle_ratio = std::min(1024U, domain.newidle_successes);
      domain.newidle_calls /= 2;
      domain.newidle_successes /= 2;
    };
    if (rules_.proportional_newidle && domain.newidle_ratio < 1024) {
      weight = 1 + domain.newidle_ratio;
      if (dice_.next() % 1024 > weight) {
        count_call(0);
        continue;
      }
      weight = (1024 + weight / 2) / weight;
    }
    const bool pulled = balance(processor, level, Balance::kNewlyIdle);
    spent += cost;
    count_call(pulled ? weight : 0);
    if (pulled) break;
  }
  if (own.queue.size() == 0) return false;
  own.idle_since = kNever;
  return true;
}

Time Eevdf::next_time(const Domain& domain, Balance why) const {
  const Time most = std::max(rules_.tick, count() * kMillisecond * 100);
  const Time wait =
      why == Balance::kBusy ? domain.interval * kBusyFactor - rules_.tick : domain.interval;
  return domain.balanced + std::clamp(wait, rules_.tick, most);
}

void Eevdf::balance_domains(unsigned processor, Balance why) {
  Own& own = processors_[processor];
  own.next_balance = kNever;
  for (unsigned level = 0; level < levels(); ++level) {
    Domain& domain = own.domains[level];
    if (now() >= next_time(domain, why)) {
      if (balance(processor, level, why)) why = Balance::kBusy;
      domain.balanced = now();
    }
    own.next_balance = std::min(own.next_balance, next_time(domain, why));
  }
}

void Eevdf::balance_at_tick(unsigned processor) {
  const Own& own = processors_[processor];
  if (now() >= own.next_balance) balance_domains(processor, Balance::kBusy);
  if (idle_.count() == 0 || now() < next_idle_balance_) return;
  // Of several caches also those whose threads have a processor each: they may be better spread.
  if (own.queue.size() >= 2 || (levels() > 1 && caches_[cache_of(processor)].runnable > 1))
    balance_idle_ones(processor);
}

void Eevdf::balance_idle_ones(unsigned from) {
  Time next = kNever;
  const auto all = [&](unsigned begin, unsigned end) {
    for (unsigned i = idle_.first(begin, end); i != kNoProcessor; i = idle_.first(i + 1, end)) {
      if (now() >= processors_[i].next_balance) balance_domains(i, Balance::kIdle);
      next = std::min(next, processors_[i].next_balance);
    }
  };
  all(from + 1, count());
  all(0, from);
  next_idle_balance_ = next == kNever ? now() + rules_.tick : next;
}

}  // namespace muster::smp
