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

// Gangs that are held are checked again soon after a change, since a fork or a signal may have been under way. Later
// checks find processes that others have continued.
constexpr auto kCheckOfChange = 5ms;
constexpr auto kLaterChecks = 100ms;
// After a signal that ends programs, all of them run for this time, since they may have to communicate in order to end.
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
  // If a keeper is killed, this process adopts its gang.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<int> lines = {signals_};
  for (const Program& program : line.programs) {
    Gang gang;
    gang.name = program.words.front();
    gang.keeper = std::make_unique<Keeper>(program, start_, lines);
    gang.hold = make_hold(mechanism, gang.keeper->process(), gang.name, plain);
    lines.push_back(gang.keeper->line());
    gangs_.push_back(std::move(gang));
  }
}

Scheduler::~Scheduler() { close(signals_); }

void Scheduler::take_signals() {
  // Some parents leave it ignored; the ends of programs would not be reported.
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&handled_);
  const auto take = [this](const auto& list) {
    for (const int signal : list) {
      // Signals that are ignored, as by nohup, stay ignored, also in the programs, which inherit this.
      struct sigaction now{};
      if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
        sigaddset(&handled_, signal);
      }
    }
  };
  take(kEndings);
  take(kStops);
  take(kForwarded);
  sigaddset(&handled_, SIGCONT);
  sigprocmask(SIG_BLOCK, &handled_, &start_.signals);
  signals_ = signalfd(-1, &handled_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

bool Scheduler::programs_left() const {
  return std::any_of(gangs_.begin(), gangs_.end(),
                     [](const Gang& gang) { return !gang.main_ended; });
}

int Scheduler::run() {
  while (programs_left()) {
    const auto now = Clock::now();
    if (all_run_until_ && now < *all_run_until_) {
      // no turns now
    } else if (all_run_until_ || turns_.over(now)) {
      all_run_until_.reset();
      next_turn();
    } else if (now >= check_again_) {
      check_again();
    }
    wait_for_something();
  }
  finish();
  return exit_status_;
}

void Scheduler::wait_for_something() {
  std::vector<pollfd> waits = {{signals_, POLLIN, 0}};
  for (const Gang& gang : gangs_)
    waits.push_back({gang.all_ended ? -1 : gang.keeper->line(), POLLIN, 0});
  auto until = check_again_;
  if (all_run_until_) {
    until = *all_run_until_;
  } else if (turns_.current()) {
    until = std::min(until, turns_.ends());
  }
  const auto left = std::max<Clock::duration>(until - Clock::now(), 0ns);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec time = {whole.count(), std::chrono::nanoseconds(left - whole).count()};
  if (ppoll(waits.data(), waits.size(), &time, nullptr) <= 0) return;
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    if (waits[i + 1].revents != 0) on_event(i, gangs_[i].keeper->next_event());
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
  // By priorities the next gang is raised first, so that it runs as soon as the previous one is lowered. By signals the
  // previous gang is stopped first.
  const bool gives_first = mechanism_ == Mechanism::kPriorities;
  const auto give = [&] {
    if (!now) return;
    Gang& gang = gangs_[*now];
    if (!gang.started) {
      gang.started = true;
      gang.keeper->start();
    } else if (changes) {
      gang.hold->grant();
    }
  };
  if (gives_first) give();
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    if (i == now || !gangs_[i].started || gangs_[i].all_ended) continue;
    gangs_[i].hold->withdraw();
  }
  if (!gives_first) give();
  check_again_ = Clock::now() + kCheckOfChange;
}

void Scheduler::check_again() {
  bool changed = false;
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    if (i == turns_.current() || !gangs_[i].started || gangs_[i].all_ended) continue;
    changed |= gangs_[i].hold->withdraw();
  }
  check_again_ = Clock::now() + (changed ? kCheckOfChange : kLaterChecks);
}

void Scheduler::run_all_briefly() {
  turns_.stop(Clock::now());
  for (Gang& gang : gangs_) {
    if (gang.all_ended) continue;
    if (gang.started) gang.hold->grant();
  }
  all_run_until_ = Clock::now() + kForEnding;
}

void Scheduler::on_signal(const signalfd_siginfo& taken) {
  const std::uint32_t number = taken.ssi_signo;
  // A signal of the terminal, such as Ctrl-C, has reached the whole process group.
  const bool from_terminal = taken.ssi_code == SI_KERNEL;
  if (has(kEndings, number) || has(kForwarded, number)) {
    for (Gang& gang : gangs_) {
      // Before its first turn a gang has no process that could receive the signal.
      if (!gang.started && has(kEndings, number)) {
        gang.started = true;
        gang.all_ended = true;
        ended(gang, static_cast<int>(number));
        turns_.end_gang(static_cast<std::size_t>(&gang - gangs_.data()), Clock::now());
      }
      if (!gang.all_ended && !from_terminal) gang.keeper->forward(static_cast<int>(number));
    }
    if (has(kEndings, number)) run_all_briefly();
  } else if (has(kStops, number)) {
    suspend();
  } else {
    check_again();
  }
}

// Stops like a foreground job, with all its processes, whether or not the terminal's signal has reached them.
void Scheduler::suspend() {
  turns_.stop(Clock::now());
  for (Gang& gang : gangs_) {
    if (gang.started && !gang.all_ended) gang.hold->freeze();
  }
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // stops here until SIGCONT
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  // By signals, the next turn continues one gang and stops the others, which the shell has continued.
  for (Gang& gang : gangs_) {
    const bool thaws = mechanism_ == Mechanism::kPriorities && gang.started && !gang.all_ended;
    if (thaws) gang.hold->thaw();
  }
}

void Scheduler::ended(Gang& gang, int status) {
  gang.main_ended = true;
  gang.status = shell_status(status);
  if (exit_status_ == 0) exit_status_ = gang.status;
}

void Scheduler::on_event(std::size_t index, const KeeperEvent& event) {
  Gang& gang = gangs_[index];
  switch (event.kind) {
    case KeeperEvent::kNotStarted:
      fmt::print(stderr, "gang: {}: {}\n", gang.name, std::strerror(event.value));
      gang.main_ended = true;
      gang.status = event.value == ENOENT ? kNotFound : kNotExecutable;
      if (exit_status_ == 0) exit_status_ = gang.status;
      break;
    case KeeperEvent::kMainEnded:
      ended(gang, event.value);
      break;
    case KeeperEvent::kAllEnded:
      gang.all_ended = true;
      gang.cpu_seconds = event.cpu_seconds;
      turns_.end_gang(index, Clock::now());
      break;
    case KeeperEvent::kLost:
      lost(index);
      break;
  }
}

// Its keeper was killed. Its processes are children of this process by now, like the other keepers.
void Scheduler::lost(std::size_t index) {
  Gang& gang = gangs_[index];
  fmt::print(stderr, "gang: {}: its keeper was killed; what is left of it runs without turns\n",
             gang.name);
  gang.keeper->await_end();  // its socket closes a little before its children are adopted
  gang.all_ended = true;
  if (!gang.main_ended) ended(gang, SIGKILL);
  turns_.end_gang(index, Clock::now());
  std::set<pid_t> others;
  for (const Gang& other : gangs_) {
    if (other.all_ended) continue;
    others.insert(other.keeper->process());
    for (const Process& process : descendants(other.keeper->process())) others.insert(process.id);
  }
  for (const Process& process : descendants(getpid())) {
    if (others.contains(process.id)) continue;
    for (const pid_t thread : process.threads) restore(thread, start_.plain);
    kill(process.id, SIGCONT);
  }
}

void Scheduler::finish() {
  turns_.stop(Clock::now());
  for (Gang& gang : gangs_) {
    if (gang.all_ended) continue;
    gang.keeper->finish();
    while (!gang.all_ended) {
      const KeeperEvent event = gang.keeper->next_event();
      gang.all_ended = event.kind == KeeperEvent::kAllEnded || event.kind == KeeperEvent::kLost;
      gang.cpu_seconds = event.cpu_seconds;
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
