// See keeper.h.
#include "gang/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace gang {
namespace {

// A request to a keeper.
struct KeeperRequest {
  enum Kind : int { kStart, kForward, kFinish };
  Kind kind = kFinish;
  int signal = 0;
};

template <typename Message>
bool send_message(int line, const Message& message) {
  ssize_t sent = 0;
  do {
    sent = send(line, &message, sizeof message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == sizeof message;
}

// False when the other end is closed and all that it has sent is read. ECONNRESET says, once, that the other end has
// closed without reading all that was sent to it.
template <typename Message>
bool receive_message(int line, Message& message) {
  ssize_t got = 0;
  do {
    got = recv(line, &message, sizeof message, 0);
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  return got == sizeof message;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Of a process that has not been waited for.
double cpu_seconds_of(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class KeeperProcess {
 public:
  KeeperProcess(const Program& program, const Start& start, int line, pid_t group)
      : program_(program), start_(start), line_(line), group_(group) {}

  [[noreturn]] void run() {
    setpgid(0, 0);
    prctl(PR_SET_NAME, "gang-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    const int ended = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
    if (ended < 0) _exit(1);
    for (;;) {
      pollfd waits[] = {{line_, POLLIN, 0}, {ended, POLLIN, 0}};
      if (poll(waits, 2, -1) < 0 && errno != EINTR) _exit(1);
      if (waits[1].revents != 0) {
        signalfd_siginfo ignored;
        while (read(ended, &ignored, sizeof ignored) > 0) continue;
        reap_children();
      }
      if (waits[0].revents != 0) handle_request();
    }
  }

 private:
  void handle_request() {
    KeeperRequest request;
    if (!receive_message(line_, request)) {  // `gang` has ended
      restore_all(getpid(), start_.plain);
      _exit(0);
    }
    if (request.kind == KeeperRequest::kStart) start();
    if (request.kind == KeeperRequest::kForward && main_ > 0) kill(main_, request.signal);
    if (request.kind == KeeperRequest::kFinish) {
      restore_all(getpid(), start_.plain);
      end();
    }
  }

  void start() {
    int failure[2];
    if (pipe2(failure, O_CLOEXEC) != 0) not_started(errno);
    const pid_t child = fork();
    if (child < 0) not_started(errno);
    if (child == 0) become_program(failure[1]);
    main_ = child;
    close(failure[1]);
    int error = 0;
    if (read(failure[0], &error, sizeof error) == sizeof error) {
      waitpid(child, nullptr, 0);
      not_started(error);
    }
    close(failure[0]);
  }

  [[noreturn]] void become_program(int failure) {
    setpgid(0, group_);
    if (start_.cpus) sched_setaffinity(0, sizeof *start_.cpus, &*start_.cpus);
    leave_short_slices();
    std::vector<char*> words;
    for (const std::string& word : program_.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    sigprocmask(SIG_SETMASK, &start_.signals, nullptr);
    execvp(program_.file.c_str(), words.data());  // also runs scripts without a #! line
    const int error = errno;
    if (write(failure, &error, sizeof error) != sizeof error) _exit(126);
    _exit(127);
  }

  [[noreturn]] void not_started(int error) {
    send_message(line_, KeeperEvent{KeeperEvent::kNotStarted, error, 0});
    end();
  }

  // Waits for all children that have ended. When none is left, the keeper ends.
  void reap_children() {
    for (;;) {
      int status = 0;
      const pid_t child = waitpid(-1, &status, WNOHANG);
      if (child < 0 && errno == ECHILD) end();
      if (child <= 0) return;
      if (child != main_) continue;
      main_ = -1;
      send_message(line_, KeeperEvent{KeeperEvent::kMainEnded, status, 0});
    }
  }

  [[noreturn]] void end() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    double seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    for (const Process& process : descendants(getpid())) seconds += cpu_seconds_of(process.id);
    send_message(line_, KeeperEvent{KeeperEvent::kAllEnded, 0, seconds});
    _exit(0);
  }

  const Program& program_;
  const Start& start_;
  int line_;
  pid_t group_;
  pid_t main_ = -1;
};

}  // namespace

Keeper::Keeper(const Program& program, const Start& start, const std::vector<int>& others) {
  int line[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  const pid_t group = getpgrp();
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    close(line[0]);
    for (const int other : others) close(other);
    KeeperProcess(program, start, line[1], group).run();
  }
  close(line[1]);
  line_ = line[0];
}

Keeper::~Keeper() {
  close(line_);
  await_end();
}

void Keeper::await_end() {
  if (process_ > 0) waitpid(process_, nullptr, 0);
  process_ = -1;
}

void Keeper::start() { send_message(line_, KeeperRequest{KeeperRequest::kStart, 0}); }
void Keeper::forward(int signal) {
  send_message(line_, KeeperRequest{KeeperRequest::kForward, signal});
}
void Keeper::finish() { send_message(line_, KeeperRequest{KeeperRequest::kFinish, 0}); }

KeeperEvent Keeper::next_event() {
  KeeperEvent event;
  if (!receive_message(line_, event)) return {KeeperEvent::kLost, 0, 0};
  return event;
}

}  // namespace gang
