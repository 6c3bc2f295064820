// See scheduler.h.
#include "gang/scheduler.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <system_error>

namespace gang {
namespace {

using namespace std::chrono_literals;

// After a turn's end the gang that had it is looked at once more: a fork or a signal may have been
// under way. And then now and then, for whoever is continued by somebody else.
constexpr auto kSecondLook = 5ms;
constexpr auto kLaterLooks = 100ms;
// All run for as long after a signal that asks them to end: they may need each other for it.
constexpr auto kForEnding = 250ms;

constexpr int kEndings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kStops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
constexpr int kForwarded[] = {SIGUSR1, SIGUSR2};

template <typename List>
bool has(const List& list, std::uint32_t signal) {
  return std::find(std::begin(list), std::end(list), static_cast<int>(signal)) != std::end(list);
}

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Scheduler::Scheduler(const CommandLine& line, Mechanism mechanism, int plain)
    : line_(line), mechanism_(mechanism), turns_(line.slice, line.weights), began_(Clock::now()) {
  take_signals();
  start_.plain = plain;
  start_.cpus = line.cpus;
  // Should a keeper be killed, its gang is left to us.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<int> lines = {signals_};
  for (const Program& program : line.programs) {
    One one;
    one.name = program.words.front();
    one.keeper = std::make_unique<Keeper>(program, start_, lines);
    one.hold = make_hold(mechanism, one.keeper->process(), one.name, plain);
    lines.push_back(one.keeper->line());
    gangs_.push_back(std::move(one));
  }
}

Scheduler::~Scheduler() { close(signals_); }

void Scheduler::take_signals() {
  // If it were ignored, as some parents leave it, the ends of programs would not be reported.
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&taken_);
  const auto take = [this](const auto& list) {
    for (const int signal : list) {
      // What is ignored, as by nohup, stays so: for the programs as well, who inherit that.
      struct sigaction now{};
      if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
        sigaddset(&taken_, signal);
      }
    }
  };
  take(kEndings);
  take(kStops);
  take(kForwarded);
  sigaddset(&taken_, SIGCONT);
  sigprocmask(SIG_BLOCK, &taken_, &start_.signals);
  signals_ = signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

bool Scheduler::programs_left() const {
  return std::any_of(gangs_.begin(), gangs_.end(), [](const One& one) { return !one.main_ended; });
}

int Scheduler::run() {
  while (programs_left()) {
    const auto now = Clock::now();
    if (everybody_until_ && now < *everybody_until_) {
      // no turns
    } else if (everybody_until_ || turns_.over(now)) {
      everybody_until_.reset();
      next_turn();
    } else if (now >= look_again_) {
      look_again();
    }
    wait_for_something();
  }
  finish();
  return exit_status_;
}

void Scheduler::wait_for_something() {
  std::vector<pollfd> waits = {{signals_, POLLIN, 0}};
  for (const One& one : gangs_)
    waits.push_back({one.all_ended ? -1 : one.keeper->line(), POLLIN, 0});
  auto until = look_again_;
  if (everybody_until_) {
    until = *everybody_until_;
  } else if (turns_.current()) {
    until = std::min(until, turns_.ends());
  }
  const auto left = std::max<Clock::duration>(until - Clock::now(), 0ns);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec time = {whole.count(), std::chrono::nanoseconds(left - whole).count()};
  if (ppoll(waits.data(), waits.size(), &time, nullptr) <= 0) return;
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    if (waits[i + 1].revents != 0) on_told(i, gangs_[i].keeper->hear());
  }
  signalfd_siginfo taken;
  while (read(signals_, &taken, sizeof taken) == sizeof taken) on_signal(taken);
}

void Scheduler::next_turn() {
  const auto before = turns_.current();
  const auto now = turns_.next(Clock::now(), [this](std::size_t i) {
    return !gangs_[i].started || gangs_[i].hold->can_run();
  });
  const auto changes = before != now;
  // By priorities the next one comes first: who makes room then makes it for that one. Stopped ones
  // must have gone before others come.
  const bool gives_first = mechanism_ == Mechanism::kPriorities;
  const auto give = [&] {
    if (!now) return;
    One& one = gangs_[*now];
    if (!one.started) {
      one.started = true;
      one.keeper->start();
    } else if (changes) {
      one.hold->grant();
    }
  };
  if (gives_first) give();
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    if (i == now || !gangs_[i].started || gangs_[i].all_ended) continue;
    gangs_[i].hold->withdraw();
  }
  if (!gives_first) give();
  look_again_ = Clock::now() + kSecondLook;
}

void Scheduler::look_again() {
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    if (i == turns_.current() || !gangs_[i].started || gangs_[i].all_ended) continue;
    gangs_[i].hold->withdraw();
  }
  look_again_ = Clock::now() + kLaterLooks;
}

void Scheduler::everybody_for_a_moment() {
  turns_.stop(Clock::now());
  for (One& one : gangs_) {
    if (one.all_ended) continue;
    if (one.started) one.hold->grant();
  }
  everybody_until_ = Clock::now() + kForEnding;
}

void Scheduler::on_signal(const signalfd_siginfo& taken) {
  const std::uint32_t number = taken.ssi_signo;
  // The terminal's own, Ctrl-C and its like, went to the whole process group.
  const bool from_terminal = taken.ssi_code == SI_KERNEL;
  if (has(kEndings, number) || has(kForwarded, number)) {
    for (One& one : gangs_) {
      // One whose first turn has not come has nobody who could be asked to end.
      if (!one.started && has(kEndings, number)) {
        one.started = true;
        one.all_ended = true;
        ended(one, static_cast<int>(number));
        turns_.end_gang(static_cast<std::size_t>(&one - gangs_.data()), Clock::now());
      }
      if (!one.all_ended && !from_terminal) one.keeper->forward(static_cast<int>(number));
    }
    if (has(kEndings, number)) everybody_for_a_moment();
  } else if (has(kStops, number)) {
    suspend();
  } else {
    look_again();
  }
}

// As a foreground job with all its processes, whether or not the terminal's signal reached them.
void Scheduler::suspend() {
  turns_.stop(Clock::now());
  for (One& one : gangs_) {
    if (one.started && !one.all_ended) one.hold->freeze();
  }
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // here we stop, until somebody continues us
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  // By signals the next turn continues one gang, and stops those whom the shell has continued.
  for (One& one : gangs_) {
    const bool thaws = mechanism_ == Mechanism::kPriorities && one.started && !one.all_ended;
    if (thaws) one.hold->thaw();
  }
}

void Scheduler::ended(One& one, int status) {
  one.main_ended = true;
  one.status = shell_status(status);
  if (exit_status_ == 0) exit_status_ = one.status;
}

void Scheduler::on_told(std::size_t gang, const Told& told) {
  One& one = gangs_[gang];
  switch (told.kind) {
    case Told::kNotStarted:
      fmt::print(stderr, "gang: {}: {}\n", one.name, std::strerror(told.value));
      one.main_ended = true;
      one.status = told.value == ENOENT ? kNotFound : kNotExecutable;
      if (exit_status_ == 0) exit_status_ = one.status;
      break;
    case Told::kMainEnded:
      ended(one, told.value);
      break;
    case Told::kAllEnded:
      one.all_ended = true;
      one.cpu_seconds = told.cpu_seconds;
      turns_.end_gang(gang, Clock::now());
      break;
    case Told::kLost:
      lost(gang);
      break;
  }
}

// Its keeper was killed. Its processes are our own children by now, among the keepers.
void Scheduler::lost(std::size_t gang) {
  One& one = gangs_[gang];
  fmt::print(stderr, "gang: {}: its keeper was killed; what is left of it runs without turns\n",
             one.name);
  one.keeper->await_end();  // its line falls silent a little before its children become ours
  one.all_ended = true;
  if (!one.main_ended) ended(one, SIGKILL);
  turns_.end_gang(gang, Clock::now());
  std::set<pid_t> others;
  for (const One& other : gangs_) {
    if (other.all_ended) continue;
    others.insert(other.keeper->process());
    for (const Process& process : descendants(other.keeper->process())) others.insert(process.id);
  }
  for (const Process& process : descendants(getpid())) {
    if (others.contains(process.id)) continue;
    for (const pid_t thread : process.threads) put_back(thread, start_.plain);
    kill(process.id, SIGCONT);
  }
}

void Scheduler::finish() {
  turns_.stop(Clock::now());
  for (One& one : gangs_) {
    if (one.all_ended) continue;
    one.keeper->finish();
    while (!one.all_ended) {
      const Told told = one.keeper->hear();
      one.all_ended = told.kind == Told::kAllEnded || told.kind == Told::kLost;
      one.cpu_seconds = told.cpu_seconds;
    }
  }
}

Report Scheduler::report() const {
  Report report;
  report.mechanism = mechanism_;
  report.slice_seconds = line_.slice.count();
  report.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  report.own_cpu_seconds =
      static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
      static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    std::string command;
    for (const std::string& word : line_.programs[i].words) {
      command += (command.empty() ? "" : " ") + word;
    }
    report.gangs.push_back({command, line_.weights[i], turns_.turns_of(i),
                            turns_.time_of(i).count(), gangs_[i].cpu_seconds, gangs_[i].status});
  }
  return report;
}

}  // namespace gang
