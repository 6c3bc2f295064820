// The event loop: turns, events of keepers, signals.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gang/command_line.h"
#include "gang/hold.h"
#include "gang/keeper.h"
#include "gang/report.h"
#include "gang/turns.h"

namespace gang {

class Scheduler {
 public:
  Scheduler(const CommandLine& line, Mechanism mechanism, int plain);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Returns when every program has ended: the exit status of the first that failed, else 0.
  int run();

  Report report() const;

 private:
  struct Gang {
    std::unique_ptr<Keeper> keeper;
    std::unique_ptr<Hold> hold;
    std::string name;
    bool started = false;
    bool main_ended = false;
    bool all_ended = false;
    int status = 0;
    double cpu_seconds = 0;
  };

  void take_signals();
  void wait_for_something();
  void on_signal(const signalfd_siginfo& taken);
  void on_event(std::size_t index, const KeeperEvent& event);
  void ended(Gang& gang, int status);
  void lost(std::size_t index);
  void next_turn();
  void check_again();
  void run_all_briefly();
  void suspend();
  void finish();
  bool programs_left() const;

  const CommandLine& line_;
  Mechanism mechanism_;
  Start start_;
  std::vector<Gang> gangs_;
  Turns turns_;
  Clock::time_point began_;
  Clock::time_point check_again_;
  std::optional<Clock::time_point> all_run_until_;
  sigset_t handled_{};
  int signals_ = -1;
  int exit_status_ = 0;
};

}  // namespace gang
