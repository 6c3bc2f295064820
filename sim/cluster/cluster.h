// The cluster at work, in discrete events: a message arrives, a process has computed or spun for as long
// as it wanted, a switch is over, a clock ticks, a slice of explicit coscheduling ends.
//
// Messages arrive in the order in which they were sent (messages.h), and of a workstation only one thing
// can be due next: so there is no queue of events, but a ring and a tournament of the workstations.
// Arrivals come before whatever else is due at the same time: a spin of just the time that an operation
// takes is long enough.
//
// An interrupt tells of a message. The process that runs handles it at once and at no cost. For a ready one,
// also one that is being switched to, it is kept until that runs. A sleeping one is woken: when it runs, it
// handles what came, and if what it waits for is not among it, it spins for `wake_spin` before it sleeps
// again (Arpaci-Dusseau & Culler, section 4 and footnote 5).
#pragma once

#include <memory>
#include <vector>

#include "sim/cluster/accounts.h"
#include "sim/cluster/barrier.h"
#include "sim/cluster/clocks.h"
#include "sim/cluster/local_scheduler.h"
#include "sim/cluster/messages.h"
#include "sim/cluster/program.h"
#include "sim/cluster/run.h"
#include "sim/cluster/trace.h"

namespace muster::cluster {

class Cluster {
 public:
  explicit Cluster(const RunPlan& run, Trace* trace = nullptr);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Until all jobs have ended.
  Result run();

 private:
  // Reading and Barrier: waiting for them.
  enum class Activity : std::uint8_t { kComputing, kReading, kBarrier };
  enum class State : std::uint8_t { kReady, kRunning, kSleeping, kEnded };

  struct Process {
    ProgramCounter counter;
    unsigned job;
    unsigned workstation;
    State state = State::kReady;
    Activity activity = Activity::kComputing;
    bool complete = false;  // what it waits for has come
    bool slept = false;     // in this operation
    Nanoseconds began = 0;  // this operation
    Nanoseconds left = 0;   // of computing or spinning, unless it runs
    Nanoseconds last_message = -kNever / 2;
    std::vector<Message> inbox{};  // while it is ready
  };

  struct Workstation {
    std::unique_ptr<LocalScheduler> scheduler{};
    int running = kNobody;  // also the one that is being switched to
    Doing doing = Doing::kIdle;
    bool choose_anew = false;
    Nanoseconds since = 0;  // when it began with what it does
    Nanoseconds due = kNever;
    Nanoseconds next_tick = 0;
    Account account{};
  };

  void place_jobs();

  void receive(const Message& message);
  void handle(Process& process, const Message& message);
  void due(unsigned number);
  void tick(unsigned number);
  void end_slice();

  // Of the process that runs on its workstation.
  void go_on(Process& process);
  void begin_waiting(Process& process, Activity activity, Nanoseconds spin);
  void finish_operation(Process& process);
  void spin_is_over(Process& process);
  void block(Process& process);
  void end(Process& process);
  void run_until(Process& process, Doing doing, Nanoseconds time);

  void wake(Process& process);
  void choose_if_need_be(unsigned number);
  void dispatch(unsigned number, int next);
  void switched(unsigned number);
  void set_doing(Workstation& workstation, Doing doing);
  void set_due(unsigned number, Nanoseconds time);

  unsigned number_of(const Process& process) const {
    return static_cast<unsigned>(&process - processes_.data());
  }
  void trace(const Process& process, const char* what);

  const RunPlan run_;
  const ProgramText text_;
  Trace* const trace_;
  Nanoseconds now_ = 0;
  Network network_;
  Clocks clocks_;  // of each workstation, and last the slices'
  std::vector<Workstation> workstations_;
  std::vector<Process> processes_;
  std::vector<JobBarrier> barriers_;
  std::vector<unsigned> alive_;  // processes of each job
  unsigned jobs_alive_;
  unsigned row_ = 0;  // of explicit coscheduling: whose slice it is
  unsigned rows_of_a_job_;
  Result result_;
};

}  // namespace muster::cluster
