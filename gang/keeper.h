// The parent process of a gang, forked by `gang`. It starts the program at the gang's first turn, adopts its orphans
// (as a subreaper) so that the whole gang stays below it, and waits for them. If `gang` is killed, it continues all
// processes and restores their priorities. It has a process group of its own, so that signals of a terminal or of
// `kill -- -GROUP` do not reach it.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "gang/hold.h"

namespace gang {

struct Program {
  std::vector<std::string> words;  // the command and its arguments
  std::string file;                // the command's path, found in PATH
};

// The state with which programs are started.
struct Start {
  int plain = 0;  // policy
  std::optional<cpu_set_t> cpus;
  sigset_t signals{};  // the signal mask with which `gang` was started
};

// What a keeper reports.
struct KeeperEvent {
  enum Kind : int {
    kNotStarted,  // value: errno
    kMainEnded,   // value: waitpid's status; other processes of the gang may still run
    kAllEnded,    // with cpu_seconds; the keeper has ended, too
    kLost,        // the keeper was killed, and `gang` has adopted its processes
  };
  Kind kind = kLost;
  int value = 0;
  double cpu_seconds = 0;
};

class Keeper {
 public:
  // `others` are the sockets of the other keepers, which this one closes. Otherwise they would stay open after the end
  // of `gang`, and its end would not be noticed.
  Keeper(const Program& program, const Start& start, const std::vector<int>& others);
  ~Keeper();  // the keeper restores its gang and ends
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  pid_t process() const { return process_; }
  int line() const { return line_; }  // the socket, readable when there is an event

  void start();
  void forward(int signal);
  void finish();  // restores the gang, reports its CPU time (kAllEnded) and ends

  KeeperEvent next_event();
  void await_end();

 private:
  pid_t process_ = -1;
  int line_ = -1;
};

}  // namespace gang
