// What runs: jobs whose threads compute and meet at barriers, and threads that only compute.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/smp/intervals.h"
#include "sim/smp/machine.h"

namespace muster::smp {

// What came of the waits of one thread, or of several.
struct Waits {
  std::uint64_t barriers = 0;          // instances it has passed
  std::uint64_t spins = 0;             // began to spin: not where it was the last to arrive
  std::uint64_t successful_spins = 0;  // of these, synchronized before it blocked
  std::uint64_t blocks = 0;

  void add(const Waits& other) {
    barriers += other.barriers;
    spins += other.spins;
    successful_spins += other.successful_spins;
    blocks += other.blocks;
  }
  // The paper's successful-spin-rate, in percent (section 2.2); NaN where nobody spun.
  double ssr() const {
    return spins == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : 100.0 * static_cast<double>(successful_spins) / static_cast<double>(spins);
  }
};

// Of a stream (stream_job.h): when its updates are due.
struct Arrivals {
  Time gap = 1;        // between bursts, on average: they come at random (Poisson)
  unsigned burst = 1;  // updates of a burst
  Time fill = 0;   // from the beginning of a burst, or the update before in it, until one is due
  Time until = 0;  // no burst begins then or later
};

// A job as its run file describes it.
struct JobPlan {
  std::string label;           // its granularity, or what else it is
  bool synchronizing = true;   // else its threads compute until the run ends
  unsigned size = 1;           // threads
  Interval interval;           // between barriers
  std::uint64_t barriers = 0;  // then it is done; of a stream: of an update
  std::optional<Arrivals> stream;
  std::string policy;  // how it waits
  Time arrives = 0;
  // Of each thread, where the scheduler knows of it.
  int nice = 0;
  Time slice = 0;  // 0: the scheduler's
};

class Job {
 public:
  Job(const JobPlan& plan, unsigned number) : plan_(plan), number_(number), waits_(plan.size) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const JobPlan& plan() const { return plan_; }
  unsigned number() const { return number_; }
  const Waits& waits(unsigned thread) const { return waits_[thread]; }
  Waits waits() const;
  bool done() const { return left_ == 0; }
  Time ended() const { return ended_; }
  // That each of its threads has passed when it is done.
  virtual std::uint64_t barriers() const { return plan_.barriers; }
  // Of a stream: the updates that are over, each from when it was due; and all that come.
  virtual std::vector<Time> latencies() const { return {}; }
  virtual std::size_t updates() const { return 0; }
  const std::vector<Task*>& tasks() const { return tasks_; }

  // Makes its threads. `when_done` is called when the last of them exits.
  void make(Machine& machine, std::uint64_t seed, std::function<void()> when_done);

 protected:
  // What is random of the whole job, before it has threads.
  virtual void draw(std::uint64_t /*seed*/) {}
  virtual std::unique_ptr<Behaviour> behaviour(unsigned thread, Intervals intervals) = 0;
  Waits& waits_of(unsigned thread) { return waits_[thread]; }
  void exits(Time now);

 private:
  const JobPlan plan_;
  const unsigned number_;
  std::vector<Waits> waits_;
  std::vector<Task*> tasks_;
  unsigned left_ = 0;
  Time ended_ = kNever;
  std::function<void()> when_done_;
};

// Threads that get in the way.
std::unique_ptr<Job> make_background(const JobPlan& plan, unsigned number);

// The paper's model of a barrier: nothing but the time of computing, spinning and switching; arriving and
// releasing are free. Spins for at most `budget`, then blocks; kNever always spins, 0 blocks at once.
std::unique_ptr<Job> make_two_phase(const JobPlan& plan, unsigned number, Time budget);

}  // namespace muster::smp
