#include "preload/launcher/compare/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace muster::launcher {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr milliseconds kOften{1000};  // how often the caller is called
constexpr milliseconds kGrace{2000};  // from SIGTERM to SIGKILL

volatile std::sig_atomic_t g_signal = 0;

struct Copy {
  pid_t pid = -1;
  int descriptor = -1;  // readable when it has ended
  bool has_ended = false;
};

struct Words {
  explicit Words(const std::vector<std::string>& words) {
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
  }
  std::vector<char*> pointers;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

int open_or_fail(const std::filesystem::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (file < 0) fail(path.string());
  return file;
}

// In the child. Writes the error into the pipe if the program cannot be started.
[[noreturn]] void become(const RunRequest& request, char* const* arguments,
                         char* const* environment, const int (&streams)[3], int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);  // Ctrl-C is for the launcher, which ends the group
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  bool ready = true;
  if (!request.members.empty()) {
    const int group = open(request.members.c_str(), O_WRONLY | O_CLOEXEC);
    ready = group >= 0 && write(group, "0", 1) == 1;
  }
  for (int i = 0; i < 3; ++i) ready = ready && dup2(streams[i], i) == i;
  if (ready) execvpe(arguments[0], arguments, environment);
  const int reason = errno;
  if (write(errors, &reason, sizeof reason) < 0) _exit(126);
  _exit(127);
}

// Sets `exec_error` if the program cannot be started.
Copy start(const RunRequest& request, unsigned number, int& exec_error) {
  const Words arguments(request.command);
  const Words environment(request.environment);
  const int streams[3] = {
      open_or_fail(request.input.empty() ? "/dev/null" : request.input, O_RDONLY),
      open_or_fail(output_file(request.output, number, "out"), O_WRONLY | O_CREAT | O_TRUNC),
      open_or_fail(output_file(request.output, number, "err"), O_WRONLY | O_CREAT | O_TRUNC)};
  int errors[2];
  if (pipe2(errors, O_CLOEXEC) != 0) fail("pipe");
  Copy copy;
  copy.pid = fork();
  if (copy.pid < 0) fail("fork");
  if (copy.pid == 0) {
    become(request, arguments.pointers.data(), environment.pointers.data(), streams, errors[1]);
  }
  setpgid(copy.pid, copy.pid);  // whichever of the two processes is first
  close(errors[1]);
  for (const int stream : streams) close(stream);
  if (read(errors[0], &exec_error, sizeof exec_error) < 0) exec_error = errno;
  close(errors[0]);
  copy.descriptor = static_cast<int>(syscall(SYS_pidfd_open, copy.pid, 0));
  return copy;
}

std::string status_text(int status) {
  if (WIFEXITED(status)) return std::to_string(WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return name == nullptr ? fmt::format("signal {}", WTERMSIG(status)) : fmt::format("SIG{}", name);
}

void end_group(pid_t leader, int number) {
  if (kill(-leader, number) != 0) kill(leader, number);
}

// Waits until a copy has ended, a second is over or a signal has come.
void wait_for_one(std::vector<Copy>& copies, milliseconds most) {
  std::vector<pollfd> waited;
  for (const Copy& copy : copies) {
    if (!copy.has_ended) waited.push_back({copy.descriptor, POLLIN, 0});
  }
  const bool has_descriptors = waited.front().fd >= 0;  // since Linux 5.3
  poll(waited.data(), has_descriptors ? waited.size() : 0,
       static_cast<int>(has_descriptors ? most.count() : 1));
}

void collect_ended(std::vector<Copy>& copies, RunOutcome& outcome) {
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].has_ended) continue;
    int status = 0;
    rusage used{};
    if (wait4(copies[i].pid, &status, WNOHANG, &used) != copies[i].pid) continue;
    copies[i].has_ended = true;
    if (copies[i].descriptor >= 0) close(copies[i].descriptor);
    outcome.statuses[i] = status_text(status);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      outcome.cpu_s += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
}

bool all_ended(const std::vector<Copy>& copies) {
  for (const Copy& copy : copies) {
    if (!copy.has_ended) return false;
  }
  return true;
}

void end_all(std::vector<Copy>& copies, RunOutcome& outcome) {
  for (const Copy& copy : copies) end_group(copy.pid, SIGTERM);
  for (const auto last = Clock::now() + kGrace; !all_ended(copies) && Clock::now() < last;) {
    wait_for_one(copies, milliseconds(50));
    collect_ended(copies, outcome);
  }
  // Also what a copy has left behind.
  for (const Copy& copy : copies) end_group(copy.pid, SIGKILL);
  while (!all_ended(copies)) {
    wait_for_one(copies, milliseconds(50));
    collect_ended(copies, outcome);
  }
}

}  // namespace

std::filesystem::path output_file(const std::filesystem::path& output, unsigned copy,
                                  const char* ending) {
  return copy == 0 ? fmt::format("{}.{}", output.string(), ending)
                   : fmt::format("{}.{}.{}", output.string(), copy + 1, ending);
}

RunOutcome run_program(const RunRequest& request, const std::function<void()>& each_second) {
  RunOutcome outcome;
  outcome.statuses.resize(request.copies);
  std::vector<Copy> copies;
  const auto begin = Clock::now();
  for (unsigned i = 0; i < request.copies && outcome.exec_error == 0; ++i) {
    copies.push_back(start(request, i, outcome.exec_error));
  }
  if (outcome.exec_error != 0) {
    end_all(copies, outcome);
    return outcome;
  }
  while (!all_ended(copies)) {
    const double elapsed_s = duration<double>(Clock::now() - begin).count();
    outcome.timed_out = request.timeout_s > 0 && elapsed_s >= request.timeout_s;
    outcome.interrupted = caught_signal() != 0;
    if (outcome.timed_out || outcome.interrupted) {
      end_all(copies, outcome);
      outcome.elapsed_s = elapsed_s;
      return outcome;
    }
    each_second();
    const double left_s = request.timeout_s > 0 ? request.timeout_s - elapsed_s : 1;
    wait_for_one(copies, std::min(kOften, milliseconds(static_cast<int>(left_s * 1000) + 1)));
    outcome.elapsed_s = duration<double>(Clock::now() - begin).count();
    collect_ended(copies, outcome);
  }
  return outcome;
}

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = [](int number) {
    if (g_signal == 0) g_signal = number;
  };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

int caught_signal() { return g_signal; }

}  // namespace muster::launcher
