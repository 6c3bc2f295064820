// What chooses the process that runs on one workstation. The engine (cluster.h) tells it what happens and
// pays for the switches; processes have the numbers they have in the whole cluster.
#pragma once

#include <memory>
#include <vector>

#include "sim/cluster/run.h"

namespace muster::cluster {

constexpr int kNobody = -1;

class LocalScheduler {
 public:
  virtual ~LocalScheduler() = default;

  virtual void add(unsigned process) = 0;  // comes to the workstation, ready
  // Takes the next process off the queue to run, or kNobody.
  virtual int pick() = 0;
  // The process that runs goes back to the queue.
  virtual void requeue(unsigned process) = 0;
  virtual void sleeps(unsigned process) = 0;  // the one that runs
  virtual void ends(unsigned process) = 0;    // the one that runs
  // Both: whether the process that runs, or kNobody, has to be chosen anew.
  virtual bool wakes(unsigned process, int running) = 0;
  virtual bool tick(int running) = 0;
  // What the process may do next to the others: for traces.
  virtual int priority(unsigned) const { return 0; }
};

// Round robin, a quantum each. A process that wakes goes to the end of the queue and preempts none.
class RoundRobin : public LocalScheduler {
 public:
  explicit RoundRobin(Nanoseconds quantum)
      : quantum_ticks_(quantum < kTick ? 1 : static_cast<unsigned>(quantum / kTick)),
        left_(quantum_ticks_) {}

  void add(unsigned process) override { queue_.push_back(process); }
  int pick() override {
    left_ = quantum_ticks_;
    if (queue_.empty()) return kNobody;
    const unsigned next = queue_.front();
    queue_.erase(queue_.begin());
    return static_cast<int>(next);
  }
  void requeue(unsigned process) override { queue_.push_back(process); }
  void sleeps(unsigned) override {}
  void ends(unsigned) override {}
  bool wakes(unsigned process, int) override {
    queue_.push_back(process);
    return false;
  }
  bool tick(int running) override { return running != kNobody && --left_ == 0; }

 private:
  unsigned quantum_ticks_;
  unsigned left_;
  std::vector<unsigned> queue_;
};

// Explicit coscheduling: a process that belongs to the row (a job, or a part of one that is larger than the
// cluster) whose slice it is. The engine changes the row on all workstations at once.
class Coscheduled : public LocalScheduler {
 public:
  Coscheduled(const unsigned& row, unsigned rows) : row_(row), processes_(rows, kNobody) {}

  void place(unsigned process, unsigned row) { processes_[row] = static_cast<int>(process); }
  void add(unsigned) override {}
  int pick() override { return processes_[row_]; }
  void requeue(unsigned) override {}
  void sleeps(unsigned) override {}
  void ends(unsigned process) override {
    for (int& one : processes_) {
      if (one == static_cast<int>(process)) one = kNobody;
    }
  }
  bool wakes(unsigned, int) override { return false; }
  bool tick(int) override { return false; }

 private:
  const unsigned& row_;
  std::vector<int> processes_;  // of each row
};

}  // namespace muster::cluster
