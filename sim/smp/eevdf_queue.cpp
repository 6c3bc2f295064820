#include "sim/smp/eevdf_queue.h"

#include <algorithm>

namespace muster::smp {
namespace {

// What sched_setattr takes for a slice.
constexpr Time kShortestSlice = 100'000;
constexpr Time kLongestSlice = 100'000'000;

}  // namespace

EevdfQueue::Sums EevdfQueue::sums() const {
  if (current_ == nullptr) return {keys_, weights_};
  return {keys_ + current_->weight * (current_->runtime - base_), weights_ + current_->weight};
}

std::int64_t EevdfQueue::weight() const { return sums().weights; }

Time EevdfQueue::average() const {
  const auto [keys, weights] = sums();
  if (weights == 0) return base_;
  const Time whole = keys / weights;
  return base_ + (keys % weights < 0 ? whole - 1 : whole);
}

bool EevdfQueue::is_eligible(const Fair& one) const {
  const auto [keys, weights] = sums();
  return keys >= (one.runtime - base_) * weights;
}

void EevdfQueue::follow_average() {
  const Time by = average() - base_;
  keys_ -= by * weights_;
  base_ += by;
}

Time EevdfQueue::slice_of(const Fair& one) const {
  const Time own = one.task->slice;
  return own == 0 ? base_slice_ : std::clamp(own, kShortestSlice, kLongestSlice);
}

Time EevdfQueue::shortest_slice() const {
  Time out = current_ != nullptr ? current_->slice : kNever;
  for (const Fair* one : waiting_) out = std::min(out, one->slice);
  return out;
}

bool EevdfQueue::charge(Time ran) {
  if (current_ == nullptr || ran == 0) return false;
  Fair& one = *current_;
  one.runtime += virtual_of(ran, one);
  const bool slice_over = one.runtime >= one.deadline;
  if (slice_over) {
    one.slice = slice_of(one);
    one.deadline = one.runtime + virtual_of(one.slice, one);
  }
  follow_average();
  return size() > 1 && (slice_over || !is_protected(one));
}

// With its lag, it would pull V by its own weight and come out with less of it: hence the factor.
void EevdfQueue::place(Fair& one, bool is_new) {
  one.slice = slice_of(one);
  Time lag = 0;
  if (rules_->place_lag && size() > 0) {
    const std::int64_t load = weight();
    lag = one.lag * (load + one.weight) / load;
  }
  one.runtime = average() - lag;
  if (one.deadline_is_relative) {
    one.deadline += one.runtime;
    one.deadline_is_relative = false;
    return;
  }
  // Half a slice for a new one, so that it gets in quickly.
  one.deadline = one.runtime + virtual_of(one.slice, one) / (is_new ? 2 : 1);
}

void EevdfQueue::note_lag(Fair& one) const {
  const Time most = virtual_of(std::max(2 * one.slice, rules_->tick), one);
  one.lag = std::clamp(average() - one.runtime, -most, most);
}

void EevdfQueue::insert(Fair& one) {
  const auto after = std::ranges::upper_bound(waiting_, one.deadline, {}, &Fair::deadline);
  waiting_.insert(after, &one);
  keys_ += one.weight * (one.runtime - base_);
  weights_ += one.weight;
}

void EevdfQueue::erase(const Fair& one) {
  waiting_.erase(std::ranges::find(waiting_, &one));
  keys_ -= one.weight * (one.runtime - base_);
  weights_ -= one.weight;
}

void EevdfQueue::join(Fair& one, bool is_new) {
  place(one, is_new);
  insert(one);
  one.queued = true;
}

void EevdfQueue::leave(Fair& one, bool sleeps) {
  note_lag(one);
  if (!sleeps) {
    one.deadline -= one.runtime;
    one.deadline_is_relative = true;
  }
  follow_average();
  if (&one == current_) {
    current_ = nullptr;
  } else {
    erase(one);
  }
  one.queued = false;
}

bool EevdfQueue::block() {
  Fair& one = *current_;
  if (rules_->delay_dequeue && !is_eligible(one)) {
    one.delayed = true;
    ++delayed_;
    current_ = nullptr;
    insert(one);
    return false;
  }
  leave(one, true);
  return true;
}

// What it has gained on V while it was not really there is taken away.
void EevdfQueue::leave_delayed(Fair& one) {
  leave(one, true);
  one.delayed = false;
  --delayed_;
  one.lag = std::min<Time>(one.lag, 0);
}

void EevdfQueue::revive(Fair& one) {
  note_lag(one);
  if (one.lag > 0) {
    one.lag = 0;
    erase(one);
    place(one, false);
    insert(one);
  }
  one.delayed = false;
  --delayed_;
}

// The rest of its slice is forfeited, as if it had run. Who is ahead of V pays nothing: somebody else runs
// next anyway.
void EevdfQueue::yield() {
  if (size() <= 1 || !is_eligible(*current_)) return;
  Fair& one = *current_;
  one.runtime = one.deadline;
  one.deadline += virtual_of(one.slice, one);
  follow_average();
}

Fair* EevdfQueue::pick(bool respect_protection) const {
  if (waiting_.empty()) return current_;
  if (size() == 1) return waiting_.front();
  Fair* const current = current_ != nullptr && is_eligible(*current_) ? current_ : nullptr;
  if (current != nullptr && respect_protection && is_protected(*current)) return current;
  const auto best =
      std::ranges::find_if(waiting_, [&](const Fair* one) { return is_eligible(*one); });
  if (best == waiting_.end()) return current != nullptr ? current : waiting_.front();
  return current != nullptr && current->deadline < (*best)->deadline ? current : *best;
}

// Against those with slices that are not shorter than its own: until its slice is over. Without "run to
// parity" for 0.7 ms of it.
void EevdfQueue::protect(Fair& one) const {
  constexpr Time kLeast = 700'000;
  const Time slice = std::min(rules_->run_to_parity ? shortest_slice() : kLeast, one.slice);
  one.protected_to = one.deadline;
  if (slice != one.slice)
    one.protected_to = std::min(one.protected_to, one.runtime + virtual_of(slice, one));
}

void EevdfQueue::run(Fair* one) {
  if (one == current_) return;
  if (current_ != nullptr) insert(*current_);
  current_ = nullptr;
  if (one == nullptr) return;
  erase(*one);
  current_ = one;
  protect(*one);
}

bool EevdfQueue::preempts(const Fair& one) {
  if (current_ == nullptr) return true;
  const bool shorter = rules_->preempt_short && one.slice < current_->slice;
  if (pick(!shorter) == &one) {
    if (shorter) current_->protected_to = std::min(current_->protected_to, current_->runtime);
    return true;
  }
  if (rules_->run_to_parity && shorter)
    current_->protected_to = std::min(current_->protected_to,
                                      current_->runtime + virtual_of(shortest_slice(), *current_));
  return false;
}

}  // namespace muster::smp
