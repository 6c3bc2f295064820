// See hold.h.
#include "gang/hold.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gang {
namespace {

constexpr int kMostLooks = 100;  // at a program that forks endlessly; the next turn continues

// Visits all processes until `visit`, which returns whether it changed anything, has changed nothing in
// `unchanged_looks` rounds in a row.
template <typename Visit>
void until_unchanged(pid_t keeper, int unchanged_looks, Visit visit) {
  for (int quiet = 0, looks = 0; quiet < unchanged_looks && looks < kMostLooks; ++looks) {
    bool did = false;
    for (const Process& process : descendants(keeper)) did |= visit(process);
    quiet = did ? 0 : quiet + 1;
  }
}

// The children of a process that dies during a round become children of the keeper, whose list may have been read
// before. Where no check follows, one more round is made.
constexpr int kOneLook = 1;
constexpr int kTwoLooks = 2;

class ByPriorities : public Hold {
 public:
  ByPriorities(pid_t keeper, std::string name, int plain)
      : Hold(keeper, std::move(name)), plain_(plain) {}

  void grant() override {
    until_unchanged(keeper_, kOneLook,
                    [this](const Process& process) { return change(process, restore); });
    continue_stopped();
  }
  bool withdraw() override {
    bool changed = false;
    const pid_t session = getsid(0);
    for (const Process& process : descendants(keeper_)) {
      changed |= change(process, lower);
      if (getsid(process.id) != session) changed |= stop(process);
    }
    return changed;
  }

 private:
  bool change(const Process& process, int (*how)(pid_t, int)) {
    bool changed = false;
    for (const pid_t thread : process.threads) {
      const int done = how(thread, plain_);
      if (done < 0) refused(process, "change the priority of");
      changed |= done > 0;
    }
    return changed;
  }

  int plain_;
};

class BySignals : public Hold {
 public:
  using Hold::Hold;

  void grant() override { continue_stopped(); }
  bool withdraw() override {
    bool changed = false;
    for (const Process& process : descendants(keeper_)) changed |= stop(process);
    return changed;
  }
};

}  // namespace

Hold::Hold(pid_t keeper, std::string name) : keeper_(keeper), name_(std::move(name)) {}

bool Hold::can_run() const {
  for (const Process& process : descendants(keeper_)) {
    if (!process.stopped() || stopped_.contains(process.id)) return true;
  }
  return false;
}

bool Hold::stop(const Process& process) {
  if (process.stopped()) return false;
  if (kill(process.id, SIGSTOP) == 0) {
    stopped_.insert(process.id);
    return true;
  }
  if (errno == EPERM) refused(process, "stop");
  return false;
}

void Hold::continue_stopped() {
  if (stopped_.empty()) return;
  // Only processes that still belong to the gang: the id may be another process's by now. A process that is missed
  // would be stopped during its whole turn, hence two rounds.
  until_unchanged(keeper_, kTwoLooks, [&](const Process& process) {
    return stopped_.erase(process.id) > 0 && kill(process.id, SIGCONT) == 0 && !stopped_.empty();
  });
  stopped_.clear();
}

void Hold::freeze() {
  std::set<pid_t> seen;
  until_unchanged(keeper_, kOneLook, [&](const Process& process) {
    // The signal takes effect a little later: do not send it twice.
    return seen.insert(process.id).second && stop(process);
  });
  // Including those that the terminal's signal has stopped at the same time.
  for (const Process& process : descendants(keeper_)) stopped_.insert(process.id);
}

void Hold::thaw() { continue_stopped(); }

void Hold::refused(const Process& process, const char* what) {
  if (std::exchange(reported_, true)) return;
  fmt::print(stderr, "gang: {}: may not {} its process {}, which runs out of turn: {}\n", name_,
             what, process.id, std::strerror(errno));
}

std::unique_ptr<Hold> make_hold(Mechanism mechanism, pid_t keeper, std::string name, int plain) {
  if (mechanism == Mechanism::kPriorities) {
    return std::make_unique<ByPriorities>(keeper, std::move(name), plain);
  }
  return std::make_unique<BySignals>(keeper, std::move(name));
}

void restore_all(pid_t keeper, int plain) {
  std::set<pid_t> continued;
  until_unchanged(keeper, kTwoLooks, [&](const Process& process) {
    bool did = false;
    for (const pid_t thread : process.threads) did |= restore(thread, plain) > 0;
    // Also to processes that are not stopped: a SIGSTOP may be pending.
    if (continued.insert(process.id).second) did |= kill(process.id, SIGCONT) == 0;
    return did;
  });
}

}  // namespace gang
