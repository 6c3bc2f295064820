#include "sim/smp/trace.h"

#include <fmt/format.h>

namespace muster::smp {

const char* name_of(Activity activity) {
  switch (activity) {
    case Activity::kIdle:
      return "idle";
    case Activity::kSwitching:
      return "switching";
    case Activity::kComputing:
      return "computing";
    case Activity::kSpinning:
      return "spinning";
  }
  return "";
}

GanttTrace::GanttTrace(std::FILE* out, unsigned processors) : out_(out), bars_(processors) {
  fmt::print(out_, "begin,end,processor,activity,thread,job\n");
}

void GanttTrace::processor_changed(Time now, unsigned number, const Processor& processor) {
  Bar& bar = bars_[number];
  const Task* task = processor.switching ? processor.next : processor.current;
  close(number, bar, now);
  bar = {now, processor.activity, task != nullptr, task != nullptr ? task->number : 0,
         task != nullptr ? task->job : 0};
}

void GanttTrace::finish(Time now) {
  for (unsigned i = 0; i < bars_.size(); ++i) close(i, bars_[i], now);
}

void GanttTrace::close(unsigned number, const Bar& bar, Time end) {
  if (bar.begin == end) return;
  if (bar.has_thread) {
    fmt::print(out_, "{},{},{},{},{},{}\n", bar.begin, end, number, name_of(bar.activity),
               bar.thread, bar.job);
  } else {
    fmt::print(out_, "{},{},{},{},,\n", bar.begin, end, number, name_of(bar.activity));
  }
}

StatesOverTime::StatesOverTime(std::FILE* out, Time period) : out_(out), period_(period) {
  fmt::print(out_, "time,job,ready,computing,spinning,blocked\n");
}

void StatesOverTime::thread_changed(Time now, const Task& task) {
  print_until(now);
  if (task.number >= column_of_.size()) column_of_.resize(task.number + 1, kColumns);
  const int column = task.state == State::kReady     ? kReady
                     : task.state == State::kBlocked ? kBlocked
                     : task.state != State::kRunning ? kColumns
                     : task.spinning                 ? kSpinning
                                                     : kComputing;
  Counts& counts = jobs_[task.job];
  int& is = column_of_[task.number];
  if (is != kColumns) --counts.of[is];
  if (column != kColumns) ++counts.of[column];
  is = column;
}

// What holds just before `now`, for each sample that is due.
void StatesOverTime::print_until(Time now) {
  for (; next_ < now; next_ += period_) {
    for (const auto& [job, counts] : jobs_) {
      fmt::print(out_, "{},{},{},{},{},{}\n", next_, job, counts.of[kReady], counts.of[kComputing],
                 counts.of[kSpinning], counts.of[kBlocked]);
    }
  }
}

}  // namespace muster::smp
