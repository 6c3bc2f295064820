// Where the threads of a team run: the decision, a pure function of the present place and of what was observed.
//
// A barrier needs all threads. Spread over CPUs that competitors use, a team makes progress only while each of these
// CPUs happens to run a teammate that still has to arrive.
// - A team that does not fit is better off on one CPU: it makes progress whenever that CPU runs any of its threads.
//   Under a quota of one CPU, a spread team uses up its quota in a part of each period and is stopped for the rest; on
//   one CPU it runs all the time.
// - Threads of a team that fits meet on one CPU when the runtime creates them or when one is woken on its waker's CPU.
//   The kernel's load balancing does not notice it if only one of them is runnable at a time. Beside competitors, each
//   thread is then kept on a CPU of its own; with fewer competitors than CPUs only for a part of the time, so that they
//   have their share. It pays only if a context switch is long compared with the work between barriers. Otherwise one of
//   few CPUs is better: the kernel moves the competitors away from it, and serial parts have it to themselves. Mostly
//   the kernel brings such a team together by itself. On many CPUs, with a competitor for each, every team is kept apart
//   (simulated only, docs/results/turns.md). Not beside those that never have a CPU for long: they may be another team,
//   and two teams share CPUs better if each runs while the other sleeps.
//
// Apart from the quota, each placement is a trial (waiting/trial.h), and ends when it does not pay. It also ends when a
// CPU of the team becomes idle: then the kernel spreads the threads better.
#pragma once

#include <cstdint>

#include "waiting/tuning.h"

namespace muster {

enum class Place : std::uint8_t {
  kAnywhere,  // the kernel places the threads
  kOneCpu,    // all threads on one CPU
  kOwnCpus,   // each thread on a CPU of its own
};

enum class Verdict : std::uint8_t { kOpen, kPays, kFails };

struct PlaceObservation {
  bool fits = true;            // a CPU for each thread of the team
  bool competitor = false;     // near now; if the team does not fit: counted
  bool preempted = false;      // by a competitor, in the last 0.2 s
  bool takes_turns = false;    // teammates were found on one CPU
  bool crowded = false;        // competitors want all CPUs, or nearly
  bool apart_is_fair = false;  // is_fair_apart(), with a known load
  bool fine_grained = false;   // instances follow each other within microseconds
  bool one_cpu_quota = false;  // at most one CPU's time per period, at least two CPUs
  bool alone = false;          // known: no thread of another process is runnable on any CPU
  unsigned cpus = 1;           // of the team
  bool may_move = true;        // no move was refused
  bool cpu_idle = false;  // a CPU that the team does not use was idle for half of the last window
  bool may_try = false;   // the present rate is known, and the budget allows a trial
  Verdict trial = Verdict::kOpen;  // of the present place
};

// Whether a team may be on CPUs of its own at this time, if `all` threads want the CPUs, those of the team included.
//
// There a competitor has half a CPU beside a thread, and about 7/8 of one where the kernel puts the team: beside a pair
// one hog had 0.88. Its share is cpus / all. So a part of the time is the team's; that is (7 all - 8 cpus) / (3 all).
// None if the kernel has a CPU for nearly every thread, all if there are as many competitors as CPUs.
constexpr bool is_fair_apart(std::uint64_t now_ns, std::uint64_t all, std::uint64_t cpus) {
  if (7 * all <= 8 * cpus) return false;
  constexpr std::uint64_t kApartNs = 2 * tuning::kWindowNs;
  return now_ns % (kApartNs * 3 * all / (7 * all - 8 * cpus)) < kApartNs;
}

// The place that may suit the team, regardless of trials.
constexpr Place candidate(Place place, const PlaceObservation& now) {
  if (!now.may_move) return Place::kAnywhere;
  if (now.fits) {
    const bool beside_many = now.crowded && now.preempted && now.cpus > tuning::kMostCpus;
    if (now.fine_grained || beside_many) {
      return now.takes_turns || place == Place::kOwnCpus ? Place::kOwnCpus : Place::kAnywhere;
    }
    if (!now.crowded || (now.takes_turns && place != Place::kOneCpu)) return Place::kAnywhere;
  } else if (now.one_cpu_quota) {
    return Place::kOneCpu;
  }
  // A competitor that has left the CPU on which the team is may want the others all the same.
  const bool disturbed = now.competitor || place == Place::kOneCpu;
  return disturbed && now.cpus <= tuning::kMostCpus ? Place::kOneCpu : Place::kAnywhere;
}

// A team that does not fit is best on one CPU under such a quota, whatever else is idle or was measured.
constexpr bool needs_no_trial(Place wanted, const PlaceObservation& now) {
  return wanted == Place::kOneCpu && now.one_cpu_quota && !now.fits;
}

constexpr Place next(Place place, const PlaceObservation& now) {
  const Place wanted = candidate(place, now);
  if (needs_no_trial(wanted, now)) return wanted;
  if (now.cpu_idle || (wanted == Place::kOwnCpus && !now.apart_is_fair)) return Place::kAnywhere;
  if (place == Place::kAnywhere) return now.may_try ? wanted : place;
  return place == wanted && now.trial != Verdict::kFails ? place : Place::kAnywhere;
}

// Whether a thread that waits for a teammate on its own CPU should leave that CPU, once: with nobody else on the
// machine, another CPU is free.
constexpr bool should_leave_cpu(Place place, const PlaceObservation& now) {
  return place == Place::kAnywhere && now.may_move && now.fits && now.takes_turns && now.alone;
}

}  // namespace muster
