// The process above a gang, forked off `gang` itself. It starts the program when the gang's first
// turn comes, adopts the program's orphans so that all of the gang stays below it, waits for them,
// and, should `gang` be killed, continues everything and gives it its priorities back. It stands in
// a process group of its own, so that what a terminal or `kill -- -GROUP` sends to the programs
// does not reach it.
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
  std::string file;                // what of PATH the command is
};

// What programs are started with.
struct Start {
  int plain = 0;  // policy
  std::optional<cpu_set_t> cpus;
  sigset_t signals{};  // blocked, as `gang` itself found them
};

// What a keeper tells.
struct Told {
  enum Kind : int {
    kNotStarted,  // value: errno
    kMainEnded,   // value: as waitpid has it; others of the gang may live
    kAllEnded,    // and cpu_seconds, and the keeper has ended
    kLost,        // killed: the rest of its gang is ours now
  };
  Kind kind = kLost;
  int value = 0;
  double cpu_seconds = 0;
};

class Keeper {
 public:
  // `others` are the other keepers' lines: this one must not hold them open, or the end of `gang`
  // would not show on them.
  Keeper(const Program& program, const Start& start, const std::vector<int>& others);
  ~Keeper();  // the keeper sets its gang right and ends
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  pid_t process() const { return process_; }
  int line() const { return line_; }  // readable when there is something to hear

  void start();
  void forward(int signal);
  void finish();  // set all right, tell the CPU time (kAllEnded), end

  Told hear();
  void await_end();

 private:
  pid_t process_ = -1;
  int line_ = -1;
};

}  // namespace gang
