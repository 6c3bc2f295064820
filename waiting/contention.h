// What `auto` knows about the CPUs of its team: whether there are enough, who else wants them, and how the team's
// threads share them. Each signal: docs/understand/load-sensing.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "load/load_sensor.h"
#include "waiting/capacity.h"
#include "waiting/competitors.h"
#include "waiting/place.h"
#include "waiting/preemption_threshold.h"
#include "waiting/tuning.h"
#include "waiting/waiting_policy.h"

namespace muster {

// One for all threads of a team. Relaxed throughout: a thread that reads an old value only waits less efficiently.
class Contention {
 public:
  explicit Contention(const WaitParameters& parameters)
      : capacity_(parameters), sensor_(parameters.load_sensor) {}

  bool fits() const { return capacity_.suffices(); }
  bool is_one_cpu() const { return capacity_.is_one_cpu(); }

  // The team does not fit, or competitors are near: a thread that spins may delay a teammate.
  bool contended() const { return contended_.load(std::memory_order_relaxed); }

  // A thread waited for a teammate on its own CPU within the last 10 to 20 ms.
  bool takes_turns() const { return takes_turns_.load(std::memory_order_relaxed); }
  void note_turn() {
    set(takes_turns_, true);
    set(turns_since_look_, true);
  }

  // Whether to record on which CPU each thread arrives: not while they do not delay each other.
  bool records_arrivals() const { return records_arrivals_.load(std::memory_order_relaxed); }

  // A thread that knew of no teammate on its CPU has yielded. If that took longer than a thread of this team polls before
  // it yields in turn, one may be there; or it was another team's.
  void note_yield(std::uint64_t before_ns, std::uint64_t now_ns) {
    if (now_ns >= before_ns + tuning::kYieldEveryNs) set(records_arrivals_, true);
  }

  // There are more threads than CPUs.
  bool exceeds_cpus() const { return sensor_ != nullptr && sensor_->competitors().exceeds_cpus(); }
  // The same with the competitors of the last 0.1 s.
  bool exceeds_cpus_lately() const {
    return sensor_ != nullptr &&
           capacity_.threads() + sensor_->competitors().count() > capacity_.cpus();
  }
  bool competitor_near(std::uint64_t now_ns) const { return competitors_.near(now_ns); }
  // A team that does not fit meets whomever the load sensor counts, wherever its threads run.
  bool counts_competitors() const {
    return !fits() && sensor_ != nullptr && sensor_->competitors().count() != 0;
  }
  // A yield beside a competitor costs a slice of it, a sleep two system calls. Where those are little beside the work, a
  // thread sleeps before it has met one. On one of several CPUs it need not: the kernel moves competitors away.
  bool expects_competitor(std::uint64_t now_ns, bool left_to_kernel) const {
    if (competitor_near(now_ns)) return true;
    const bool coarse_grained = preemption_threshold_.instance_ns() >= tuning::kCoarseGrainedNs;
    return counts_competitors() && (is_one_cpu() || (coarse_grained && left_to_kernel));
  }
  bool competitor_seen_lately(std::uint64_t now_ns) const {
    return competitors_.seen_lately(now_ns);
  }

  // Notes the time between two clock reads with only a few polls, a yield or a sleep for a teammate between them. True
  // if it exceeds the preemption threshold and neither a quota nor the host explains it: a competitor had the CPU.
  bool note_gap(std::uint64_t before_ns, std::uint64_t now_ns) {
    const std::uint64_t threshold_ns = preemption_threshold_.ns();
    if (now_ns < before_ns + threshold_ns) return false;  // or the clock went back
    if (sensor_ != nullptr && (sensor_->was_throttled(before_ns, now_ns) ||
                               sensor_->was_stolen(before_ns, now_ns, threshold_ns)))
      return false;
    competitors_.see(now_ns);
    set(contended_, true);
    set(records_arrivals_, true);
    return true;
  }

  // It counts the team's threads that sleep, to tell the others from competitors.
  LoadSensor* load_sensor() const { return sensor_; }

  // Reads what the team may use, every 10 ms of waiting, so that a changed affinity is noticed. True if this was such a
  // time and there is no contention. The load sensor is asked in each wait: it waits for a moment without sleepers.
  template <class Memory>
  bool look(const Wait<Memory>& wait) {
    const bool is_time = capacity_.look(wait);
    if (sensor_ != nullptr) {
      if (is_time) sensor_->note_cpus_of_team(capacity_.cpus());
      sensor_->look(wait.start_ns);
    }
    if (!is_time) return false;
    preemption_threshold_.learn(wait.start_ns, wait.episode);
    set(takes_turns_, !fits() || turns_since_look_.exchange(false, std::memory_order_relaxed));
    set(contended_, takes_turns() || competitor_near(wait.start_ns));
    set(records_arrivals_, contended());
    return !contended();
  }

  // What concerns the team's place, apart from trials.
  [[gnu::noinline]] PlaceObservation observe_place(std::uint64_t now_ns) const {
    PlaceObservation out;
    out.fits = fits();
    out.competitor = competitor_near(now_ns);
    out.preempted = competitor_seen_lately(now_ns);
    out.takes_turns = takes_turns();
    out.fine_grained = preemption_threshold_.instance_ns() < tuning::kFineGrainedNs;
    if (sensor_ == nullptr) return out;
    // A thread that may leave its CPU for an idle one should not have to wait for the next regular look.
    const bool may_leave = out.fits && out.takes_turns && !out.competitor;
    sensor_->look(now_ns, Files::kKept,
                  may_leave ? tuning::kPlaceLookEveryNs : LoadSensor::kLookEveryNs);
    add_load(out, now_ns);
    return out;
  }

 private:
  // Every thread reads these lines at every barrier: written only when the value changes.
  static void set(std::atomic<bool>& flag, bool value) {
    if (flag.load(std::memory_order_relaxed) != value) flag.store(value, std::memory_order_relaxed);
  }

  // Not inlined: the copy of the load would be on the stack of each wait.
  [[gnu::noinline]] void add_load(PlaceObservation& out, std::uint64_t now_ns) const {
    const LoadSnapshot load = sensor_->last();
    const bool counted = load.looks != 0 && load.has(LoadSource::kRunnable);
    const unsigned competitors = sensor_->competitors().count();
    // A gap may be a daemon's millisecond, which is no reason to move a team.
    if (counted && !out.fits) out.competitor = competitors != 0;
    out.cpus = load.allowed_cpus;
    out.crowded = competitors >= load.allowed_cpus;
    out.apart_is_fair = is_fair_apart(now_ns, capacity_.threads() + competitors, load.allowed_cpus);
    out.one_cpu_quota = load.allowed_cpus > 1 && load.usable_millicpus() <= 1000;
    out.alone = counted && load.competitors() == 0;
  }

  Capacity capacity_;
  LoadSensor* const sensor_;
  std::atomic<bool> contended_{false};
  std::atomic<bool> records_arrivals_{false};
  std::atomic<bool> takes_turns_{false};
  std::atomic<bool> turns_since_look_{false};
  Competitors competitors_;
  PreemptionThreshold preemption_threshold_;
};

}  // namespace muster
