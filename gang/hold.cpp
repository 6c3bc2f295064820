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

constexpr int kMostLooks = 100;  // of a program that forks without end; the next turn goes on

// Looks until `visit`, which tells whether it found something to do, did not `quiet_looks` times in
// a row.
template <typename Visit>
void until_quiet(pid_t keeper, int quiet_looks, Visit visit) {
  for (int quiet = 0, looks = 0; quiet < quiet_looks && looks < kMostLooks; ++looks) {
    bool did = false;
    for (const Process& process : descendants(keeper)) did |= visit(process);
    quiet = did ? 0 : quiet + 1;
  }
}

// One that dies while we look hands its children to the keeper, whose children we may have seen
// already. Who is missed so is found by the next look, in some ms, and it costs little. Where there
// is no next look, one more is taken.
constexpr int kQuick = 1;
constexpr int kThorough = 2;

class ByPriorities : public Hold {
 public:
  ByPriorities(pid_t keeper, std::string name, int plain)
      : Hold(keeper, std::move(name)), plain_(plain) {}

  void grant() override {
    change(put_back);
    continue_stopped();
  }
  void withdraw() override {
    change(lower);
    const pid_t session = getsid(0);
    stop_all([session](const Process& process) { return getsid(process.id) != session; });
  }

 private:
  void change(int (*how)(pid_t, int)) {
    until_quiet(keeper_, kQuick, [&](const Process& process) {
      bool changed = false;
      for (const pid_t thread : process.threads) {
        const int done = how(thread, plain_);
        if (done < 0) refused(process, "change the priority of");
        changed |= done > 0;
      }
      return changed;
    });
  }

  int plain_;
};

class BySignals : public Hold {
 public:
  using Hold::Hold;

  void grant() override { continue_stopped(); }
  void withdraw() override { stop_all(); }
};

}  // namespace

Hold::Hold(pid_t keeper, std::string name) : keeper_(keeper), name_(std::move(name)) {}

bool Hold::can_run() const {
  for (const Process& process : descendants(keeper_)) {
    if (!process.stopped() || stopped_.contains(process.id)) return true;
  }
  return false;
}

void Hold::stop_all(const std::function<bool(const Process&)>& chosen) {
  std::set<pid_t> seen;
  until_quiet(keeper_, kQuick, [&](const Process& process) {
    // A signal takes a moment to stop it: seen once, it is not sent another.
    if (!seen.insert(process.id).second || process.stopped()) return false;
    if (chosen && !chosen(process)) return false;
    if (kill(process.id, SIGSTOP) == 0) {
      stopped_.insert(process.id);
      return true;
    }
    if (errno == EPERM) refused(process, "stop");
    return false;
  });
}

void Hold::continue_stopped() {
  if (stopped_.empty()) return;
  // By its number alone it could be another process by now: so only who is still there. Missed, it
  // would stand still for its whole turn.
  until_quiet(keeper_, kThorough, [&](const Process& process) {
    return stopped_.erase(process.id) > 0 && kill(process.id, SIGCONT) == 0 && !stopped_.empty();
  });
  stopped_.clear();
}

void Hold::freeze() {
  stop_all();
  // Those whom the terminal's signal stopped at the same time as well.
  for (const Process& process : descendants(keeper_)) stopped_.insert(process.id);
}

void Hold::thaw() { continue_stopped(); }

void Hold::refused(const Process& process, const char* what) {
  if (std::exchange(complained_, true)) return;
  fmt::print(stderr, "gang: {}: may not {} its process {}, which runs out of turn: {}\n", name_,
             what, process.id, std::strerror(errno));
}

std::unique_ptr<Hold> make_hold(Mechanism mechanism, pid_t keeper, std::string name, int plain) {
  if (mechanism == Mechanism::kPriorities) {
    return std::make_unique<ByPriorities>(keeper, std::move(name), plain);
  }
  return std::make_unique<BySignals>(keeper, std::move(name));
}

void set_all_right(pid_t keeper, int plain) {
  std::set<pid_t> continued;
  until_quiet(keeper, kThorough, [&](const Process& process) {
    bool did = false;
    for (const pid_t thread : process.threads) did |= put_back(thread, plain) > 0;
    // SIGSTOP may be on its way still: so also to who does not look stopped.
    if (continued.insert(process.id).second) did |= kill(process.id, SIGCONT) == 0;
    return did;
  });
}

}  // namespace gang
