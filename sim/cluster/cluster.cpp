#include "sim/cluster/cluster.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/cluster/solaris.h"

namespace muster::cluster {

Cluster::Cluster(const RunPlan& run, Trace* trace)
    : run_(run),
      text_(run),
      trace_(trace),
      network_(run.latency),
      clocks_(run.workstations + 1),
      workstations_(run.workstations),
      alive_(run.jobs, run.processes),
      jobs_alive_(run.jobs),
      rows_of_a_job_((run.processes + run.workstations - 1) / run.workstations) {
  result_.job_completions.resize(run.jobs);
  place_jobs();
}

// Rank r of each job is on workstation r, modulo their number. All jobs arrive at once: in which order a
// workstation has them in its queue, and when its clock ticks, is arbitrary.
void Cluster::place_jobs() {
  MixedNumbers numbers(run_.seed * 0x9E3779B9U);
  for (unsigned job = 0; job < run_.jobs; ++job) {
    barriers_.emplace_back(run_.program.barrier, job * run_.processes, run_.processes);
    for (unsigned rank = 0; rank < run_.processes; ++rank) {
      const std::uint64_t seed = std::uint64_t{numbers.next()} << 32 | numbers.next();
      processes_.push_back({.counter = ProgramCounter(rank, seed),
                            .job = job,
                            .workstation = rank % run_.workstations});
    }
  }
  const unsigned rows = run_.jobs * rows_of_a_job_;
  for (unsigned number = 0; number < run_.workstations; ++number) {
    Workstation& workstation = workstations_[number];
    const unsigned phase = run_.scheduler.clocks_apart ? numbers.next() : 0;
    workstation.next_tick =
        run_.scheduler.clocks_apart ? 1 + static_cast<Nanoseconds>(numbers.next()) % kTick : kTick;
    std::vector<unsigned> here;
    for (unsigned i = 0; i < processes_.size(); ++i) {
      if (processes_[i].workstation == number) here.push_back(i);
    }
    for (std::size_t i = here.size(); run_.scheduler.shuffled && i > 1; --i)
      std::swap(here[i - 1], here[std::uint64_t{numbers.next()} * i >> 32]);
    switch (run_.scheduler.policy) {
      case Policy::kSolaris:
        workstation.scheduler = std::make_unique<Solaris>(dispatch_table(run_.scheduler.table),
                                                          phase, run_.scheduler.raise_every_sleep);
        break;
      case Policy::kRoundRobin:
        workstation.scheduler = std::make_unique<RoundRobin>(run_.scheduler.quantum);
        break;
      case Policy::kExplicit: {
        auto rows_here = std::make_unique<Coscheduled>(row_, rows);
        for (const unsigned i : here) {
          const unsigned rank = i % run_.processes;
          rows_here->place(i, processes_[i].job * rows_of_a_job_ + rank / run_.workstations);
        }
        workstation.scheduler = std::move(rows_here);
        break;
      }
    }
    for (const unsigned i : here) workstation.scheduler->add(i);
  }
}

Result Cluster::run() {
  for (unsigned number = 0; number < run_.workstations; ++number)
    dispatch(number, workstations_[number].scheduler->pick());
  if (run_.scheduler.policy == Policy::kExplicit)
    clocks_.set(run_.workstations, run_.scheduler.slice);
  while (jobs_alive_ > 0) {
    if (network_.next() <= clocks_.next()) {
      now_ = network_.next();
      receive(network_.receive());
      continue;
    }
    now_ = clocks_.next();
    const unsigned number = clocks_.first();
    if (number == run_.workstations) {
      end_slice();
    } else if (workstations_[number].due == now_) {
      due(number);
    } else {
      tick(number);
    }
  }
  for (Workstation& workstation : workstations_) {
    set_doing(workstation, Doing::kIdle);
    result_.workstations.push_back(workstation.account);
  }
  result_.completion = now_;
  result_.messages = network_.sent();
  return std::move(result_);
}

void Cluster::receive(const Message& message) {
  Process& process = processes_[message.to];
  switch (process.state) {
    case State::kRunning:
      handle(process, message);
      if (process.complete) finish_operation(process);
      break;
    case State::kSleeping:
      process.inbox.push_back(message);
      wake(process);
      break;
    case State::kReady:
      process.inbox.push_back(message);
      break;
    case State::kEnded:
      throw std::logic_error("a message for a process that has ended");
  }
}

// What it does next, where that was what it waited for, is the caller's to see to.
void Cluster::handle(Process& process, const Message& message) {
  if (message.kind == MessageKind::kResponse) {
    process.complete = true;
    return;
  }
  // What answers the process itself is no sign that others are there.
  if (message.kind != MessageKind::kRelease) process.last_message = now_;
  if (message.kind == MessageKind::kRequest) {
    network_.send(now_, message.to, message.from, MessageKind::kResponse);
  } else if (barriers_[process.job].handle(now_, message, network_)) {
    process.complete = true;
  }
}

// The process on the workstation has done what it was to do until now.
void Cluster::due(unsigned number) {
  Workstation& workstation = workstations_[number];
  if (workstation.doing == Doing::kSwitching) {
    switched(number);
    return;
  }
  Process& process = processes_[static_cast<unsigned>(workstation.running)];
  if (process.activity == Activity::kComputing) {
    go_on(process);
  } else {
    spin_is_over(process);
  }
}

void Cluster::tick(unsigned number) {
  Workstation& workstation = workstations_[number];
  workstation.next_tick += kTick;
  workstation.choose_anew |= workstation.scheduler->tick(workstation.running);
  set_due(number, workstation.due);
  choose_if_need_be(number);
}

void Cluster::end_slice() {
  const unsigned rows = run_.jobs * rows_of_a_job_;
  do {
    row_ = (row_ + 1) % rows;
  } while (alive_[row_ / rows_of_a_job_] == 0);
  clocks_.set(run_.workstations, now_ + run_.scheduler.slice);
  for (unsigned number = 0; number < run_.workstations; ++number) {
    workstations_[number].choose_anew = true;
    choose_if_need_be(number);
  }
}

void Cluster::go_on(Process& process) {
  const Step step = process.counter.next(text_);
  const unsigned number = number_of(process);
  switch (step.kind) {
    case StepKind::kCompute:
      process.activity = Activity::kComputing;
      run_until(process, Doing::kComputing, step.time);
      break;
    case StepKind::kRead:
      network_.send(now_, number, process.job * run_.processes + step.from_rank,
                    MessageKind::kRequest);
      begin_waiting(process, Activity::kReading, run_.waiting.read_spin);
      break;
    case StepKind::kBarrier:
      process.complete = barriers_[process.job].arrive(now_, number, network_);
      begin_waiting(process, Activity::kBarrier, run_.waiting.barrier_spin);
      break;
    case StepKind::kEnd:
      end(process);
      break;
  }
}

void Cluster::begin_waiting(Process& process, Activity activity, Nanoseconds spin) {
  process.activity = activity;
  process.began = now_;
  process.slept = false;
  if (process.complete) {
    finish_operation(process);
  } else if (spin == 0) {
    block(process);
  } else {
    run_until(process, Doing::kSpinning, spin);
  }
}

void Cluster::finish_operation(Process& process) {
  Operations& operations =
      process.activity == Activity::kReading ? result_.reads : result_.barriers;
  ++operations.done;
  operations.without_sleep += process.slept ? 0 : 1;
  operations.waited += now_ - process.began;
  process.complete = false;
  go_on(process);
}

void Cluster::spin_is_over(Process& process) {
  const Nanoseconds conditional = run_.waiting.conditional;
  if (conditional > 0 && now_ - process.last_message <= conditional) {
    run_until(process, Doing::kSpinning, conditional);
  } else {
    block(process);
  }
}

void Cluster::block(Process& process) {
  Workstation& workstation = workstations_[process.workstation];
  trace(process, "sleep");
  process.state = State::kSleeping;
  process.slept = true;
  process.left = run_.waiting.wake_spin;
  workstation.scheduler->sleeps(number_of(process));
  workstation.choose_anew = false;
  dispatch(process.workstation, workstation.scheduler->pick());
}

void Cluster::end(Process& process) {
  Workstation& workstation = workstations_[process.workstation];
  trace(process, "end");
  process.state = State::kEnded;
  workstation.scheduler->ends(number_of(process));
  workstation.choose_anew = false;
  if (--alive_[process.job] == 0) {
    result_.job_completions[process.job] = now_;
    --jobs_alive_;
  }
  dispatch(process.workstation, workstation.scheduler->pick());
  if (alive_[process.job] == 0 && jobs_alive_ > 0 && run_.scheduler.policy == Policy::kExplicit)
    end_slice();
}

void Cluster::run_until(Process& process, Doing doing, Nanoseconds time) {
  if (trace_ != nullptr) trace(process, doing == Doing::kComputing ? "compute" : "spin");
  set_doing(workstations_[process.workstation], doing);
  set_due(process.workstation, time == kNever ? kNever : now_ + time);
}

void Cluster::wake(Process& process) {
  Workstation& workstation = workstations_[process.workstation];
  process.state = State::kReady;
  workstation.choose_anew |= workstation.scheduler->wakes(number_of(process), workstation.running);
  trace(process, "wake");
  if (workstation.running == kNobody) {
    dispatch(process.workstation, workstation.scheduler->pick());
  } else {
    choose_if_need_be(process.workstation);
  }
}

// A switch is not cancelled, but the process that it leads to may be preempted at its end.
void Cluster::choose_if_need_be(unsigned number) {
  Workstation& workstation = workstations_[number];
  if (!workstation.choose_anew || workstation.doing == Doing::kSwitching) return;
  workstation.choose_anew = false;
  const int running = workstation.running;
  if (running != kNobody) workstation.scheduler->requeue(static_cast<unsigned>(running));
  const int next = workstation.scheduler->pick();
  if (next == running) return;
  if (running != kNobody) {
    Process& process = processes_[static_cast<unsigned>(running)];
    if (process.state == State::kRunning)
      process.left = workstation.due == kNever ? kNever : workstation.due - now_;
    process.state = State::kReady;
    trace(process, "preempt");
  }
  dispatch(number, next);
}

// The process that ran has left.
void Cluster::dispatch(unsigned number, int next) {
  Workstation& workstation = workstations_[number];
  workstation.running = next;
  if (next == kNobody) {
    set_doing(workstation, Doing::kIdle);
    set_due(number, kNever);
    return;
  }
  ++workstation.account.switches;
  set_doing(workstation, Doing::kSwitching);
  set_due(number, now_ + run_.context_switch);
}

void Cluster::switched(unsigned number) {
  Workstation& workstation = workstations_[number];
  Process& process = processes_[static_cast<unsigned>(workstation.running)];
  if (workstation.choose_anew) {
    set_doing(workstation, Doing::kIdle);  // for no time: it is switched again, or goes on below
    choose_if_need_be(number);
    if (workstation.running != static_cast<int>(number_of(process))) return;
  }
  process.state = State::kRunning;
  trace(process, "run");
  // Handlers only send; what the process itself does comes after all of them.
  for (const Message& message : process.inbox) handle(process, message);
  process.inbox.clear();
  const bool computes = process.activity == Activity::kComputing;
  if (process.complete) {
    finish_operation(process);
  } else if (process.left == 0) {
    computes ? go_on(process) : block(process);
  } else {
    run_until(process, computes ? Doing::kComputing : Doing::kSpinning, process.left);
  }
}

void Cluster::set_doing(Workstation& workstation, Doing doing) {
  workstation.account.spent[static_cast<std::size_t>(workstation.doing)] +=
      now_ - workstation.since;
  workstation.since = now_;
  workstation.doing = doing;
}

void Cluster::set_due(unsigned number, Nanoseconds time) {
  Workstation& workstation = workstations_[number];
  workstation.due = time;
  clocks_.set(number, std::min(time, workstation.next_tick));
}

void Cluster::trace(const Process& process, const char* what) {
  if (trace_ == nullptr) return;
  const unsigned number = number_of(process);
  trace_->event(now_, process.workstation, process.job, number % run_.processes, what,
                workstations_[process.workstation].scheduler->priority(number));
}

}  // namespace muster::cluster
