// Who did what when: the Gantt trace, and the states of each job's threads over time (Tsafrir and Feitelson,
// Figures 2 and 4).
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "sim/smp/machine.h"

namespace muster::smp {

const char* name_of(Activity activity);

// A line for each interval in which a processor did one thing for one thread, when it ends:
// begin,end,processor,activity,thread,job. While switching, the thread is the one switched to; it is empty for
// idleness.
class GanttTrace : public Observer {
 public:
  GanttTrace(std::FILE* out, unsigned processors);
  void thread_changed(Time, const Task&) override {}
  void processor_changed(Time now, unsigned number, const Processor& processor) override;
  // What still goes on at the end.
  void finish(Time now);

 private:
  struct Bar {
    Time begin = 0;
    Activity activity = Activity::kIdle;
    // Not the thread itself: finish() comes when the run and its threads have gone.
    bool has_thread = false;
    unsigned thread = 0;
    unsigned job = 0;
  };
  void close(unsigned number, const Bar& bar, Time end);

  std::FILE* const out_;
  std::vector<Bar> bars_;
};

// Every `period`, how many threads of each job are ready, computing, spinning, blocked:
// time,job,ready,computing,spinning,blocked.
class StatesOverTime : public Observer {
 public:
  StatesOverTime(std::FILE* out, Time period);
  void thread_changed(Time now, const Task& task) override;
  void processor_changed(Time now, unsigned, const Processor&) override { print_until(now); }
  void finish(Time now) { print_until(now + 1); }

 private:
  enum Column { kReady, kComputing, kSpinning, kBlocked, kColumns };
  struct Counts {
    long of[kColumns] = {};
  };
  void print_until(Time now);

  std::FILE* const out_;
  const Time period_;
  Time next_ = 0;
  std::map<unsigned, Counts> jobs_;
  std::vector<int> column_of_;  // by thread; kColumns: none
};

// Both, or more.
class Observers : public Observer {
 public:
  void add(Observer& one) { all_.push_back(&one); }
  bool empty() const { return all_.empty(); }
  void thread_changed(Time now, const Task& task) override {
    for (Observer* one : all_) one->thread_changed(now, task);
  }
  void processor_changed(Time now, unsigned number, const Processor& processor) override {
    for (Observer* one : all_) one->processor_changed(now, number, processor);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace muster::smp
