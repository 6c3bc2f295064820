// Where a thread goes that is new or wakes up (kernel/sched/fair.c: select_task_rq_fair).
#include <algorithm>

#include "sim/smp/eevdf.h"
#include "sim/smp/machine.h"

namespace muster::smp {
namespace {

constexpr Time kSecond = 1'000'000'000;

}  // namespace

// The cache with the most idle processors, and the first of them. Where all are busy, the least loaded.
unsigned Eevdf::place_new(const Fair& one) const {
  if (one.task->pinned != kNoProcessor) return one.task->pinned;
  unsigned best = kNoProcessor;
  unsigned most = 0;
  for (unsigned begin = 0; idle_.count() > 0 && begin < count(); begin += rules_.llc) {
    const unsigned end = std::min(begin + rules_.llc, count());
    unsigned idle = 0;
    for (unsigned i = begin; i < end; ++i) idle += idle_.has(i);
    if (idle > most) {
      most = idle;
      best = idle_.first(begin, end);
    }
  }
  if (best != kNoProcessor) return best;
  best = 0;
  for (unsigned i = 1; i < count(); ++i) {
    if (processors_[i].load.at(now()) < processors_[best].load.at(now())) best = i;
  }
  return best;
}

unsigned Eevdf::place_woken(Fair& one, unsigned by, Fair* waker) {
  if (waker != nullptr && waker->last_woken != one.task) {
    const Time halvings = (now() - waker->flips_halved) / kSecond;
    if (halvings > 0) {
      waker->flips >>= std::min<Time>(halvings, 31);
      waker->flips_halved = now();
    }
    waker->last_woken = one.task;
    ++waker->flips;
  }
  if (one.task->pinned != kNoProcessor) return one.task->pinned;
  const unsigned before = one.home;
  unsigned target = before;
  if (by != before && (waker == nullptr || !is_wide(*waker, one))) target = affine(one, by, before);
  return idle_sibling(one, before, target);
}

// One that wakes many, who wake others: they would not all find room beside it.
bool Eevdf::is_wide(Fair& waker, const Fair& one) const {
  const unsigned most = std::max(waker.flips, one.flips);
  const unsigned least = std::min(waker.flips, one.flips);
  return least >= rules_.llc && most >= least * rules_.llc;
}

// To the waker, or where it was.
unsigned Eevdf::affine(const Fair& one, unsigned by, unsigned before) const {
  if (idle_.has(by) && share_cache(by, before)) return idle_.has(before) ? before : by;
  if (idle_.has(before)) return before;
  constexpr double kBias = 1.08;  // half of what an imbalance is, above 100 %
  const double own = one.load.at(now());
  const double there = processors_[by].load.at(now()) + own;
  const double here = (processors_[before].load.at(now()) - own) * kBias;
  return there < here ? by : before;
}

// An idle processor near the target: itself, where it was, where it was before that, then a search that is
// the shorter the busier all are.
unsigned Eevdf::idle_sibling(Fair& one, unsigned before, unsigned target) const {
  if (idle_.has(target)) return target;
  if (share_cache(before, target) && idle_.has(before)) return before;
  const unsigned recent = one.used_before;
  one.used_before = before;
  if (recent != kNoProcessor && share_cache(recent, target) && idle_.has(recent)) return recent;
  const unsigned begin = cache_of(target) * rules_.llc;
  const unsigned end = std::min(begin + rules_.llc, count());
  const unsigned size = end - begin;
  unsigned left = std::min(caches_[cache_of(target)].scan, size);
  // Two stretches: behind the target, then from the first on.
  const unsigned behind = std::min(left, end - (target + 1));
  unsigned found = idle_.first(target + 1, target + 1 + behind);
  left -= behind;
  if (found == kNoProcessor) found = idle_.first(begin, std::min(begin + left, target));
  return found != kNoProcessor ? found : target;
}

}  // namespace muster::smp
