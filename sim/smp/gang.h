// Gang scheduling (Ousterhout 1982; Peter et al., section 3.1): the jobs take turns, and in a job's turn the
// processors are its own. A turn is `slice` times the job's weight long. A processor for which the job has no
// thread is idle: fragmentation is not combated, as in the paper.
//
// With `pack`, the jobs after it whose threads fit beside its own share its turn, and the next turn
// begins with the one after them. With `fill`, what is idle is given to the other jobs, those first
// whose turn comes first, and taken from them again when a job that is before them wants it: the gangs are
// ranked by priorities.
//
// Within a turn a thread runs until it blocks, yields or exits; where the job has more threads than there
// are processors, the others wait for that. Who gets ready goes to the end of the job's queue. Each thread goes
// back to the processor that it ran on last, if that is free.
#pragma once

#include <deque>
#include <vector>

#include "sim/smp/scheduler.h"

namespace muster::smp {

class Gang : public Scheduler {
 public:
  // Jobs beyond the end of `weights` weigh 1.
  Gang(Time slice, std::vector<std::int64_t> weights, bool pack = false, bool fill = false)
      : slice_(slice), weights_(std::move(weights)), pack_(pack), fill_(fill) {}

  void start(Machine& machine) override { machine_ = &machine; }
  void add(std::span<Task* const> tasks) override;
  void wake(std::span<Task* const> tasks, unsigned processor) override;
  Task* choose(unsigned processor, Task* previous, Left left) override;
  void released(Task& task) override;
  bool timer(unsigned) override { return false; }

 private:
  struct Members {
    std::deque<Task*> ready;
    unsigned alive = 0;
    bool has_turn = false;  // who comes during a turn has no part in it, as it may not fit
  };

  Members& members(unsigned job);
  // 0 of the jobs whose turn it is, then by when theirs comes; last those that came during the turn
  // and before its end in number.
  unsigned rank(unsigned job) const;
  bool may_run(const Task& task) const { return fill_ || rank(task.job) == 0; }
  void find_processor(const Task& task);
  bool anybody_has_turn() const;
  Task* take_first_ready(unsigned processor, Task* previous, bool preempted);
  Task* take_ready(unsigned job, unsigned processor, const Task* previous);
  void begin_turn(unsigned job);
  void next_turn();

  const Time slice_;
  const std::vector<std::int64_t> weights_;
  Machine* machine_ = nullptr;
  std::vector<Members> jobs_;
  const bool pack_;
  const bool fill_;
  unsigned turn_ = 0;               // whose it is: of this job,
  unsigned sharing_ = 1;            // and of those after it, so many in all
  bool somebody_has_turn_ = false;  // not before the first comes, nor when all are done
  std::uint64_t turns_ = 0;         // so far: what makes the end of an earlier one void
};

}  // namespace muster::smp
