// One run of a program, or of several copies of it at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace muster::launcher {

struct RunRequest {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // NAME=VALUE, all of it
  unsigned copies = 1;
  std::filesystem::path input;  // standard input
  std::filesystem::path
      output;  // "FOLDER/NAME": stdout goes to NAME.out, stderr to NAME.err; NAME.2.out and so on
  std::filesystem::path members;  // of a control group, or empty
  double timeout_s = 0;           // 0: none
};

struct RunOutcome {
  double elapsed_s = 0;               // until the last copy has ended
  double cpu_s = 0;                   // of all copies, and of the processes that they waited for
  std::vector<std::string> statuses;  // of each copy: "0", "3", "SIGSEGV"
  bool timed_out = false;
  bool interrupted = false;  // by a signal to this process; the run does not count
  int exec_error = 0;        // the program was not started
};

// The file of a copy: ending is "out" or "err".
std::filesystem::path output_file(const std::filesystem::path& output, unsigned copy,
                                  const char* ending);

// Calls `each_second` once a second at most while the program runs. Ends the program and all its process group if a
// signal comes or its time is over. Throws std::runtime_error if the run cannot be made.
RunOutcome run_program(const RunRequest& request, const std::function<void()>& each_second);

// Catches SIGINT, SIGTERM and SIGHUP for the rest of the process.
void catch_signals();
// The first that came; 0: none.
int caught_signal();

}  // namespace muster::launcher
