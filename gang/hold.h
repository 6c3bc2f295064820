// Keeps a gang off the processors while it is not its turn; one object per gang. A gang is all descendants of its
// keeper. It may create processes and threads at any time, so each step is repeated until it finds no new ones, at once
// or by the next check.
#pragma once

#include <sys/types.h>

#include <memory>
#include <set>
#include <string>

#include "gang/priorities.h"
#include "gang/processes.h"

namespace gang {

enum class Mechanism { kPriorities, kSignals };

class Hold {
 public:
  // `name` is what messages call the gang.
  Hold(pid_t keeper, std::string name);
  virtual ~Hold() = default;
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  virtual void grant() = 0;  // its turn begins
  // Its turn is over, or another process has continued some of it since. One look at its processes, which a fork may
  // escape: true if anything was changed, so that another look is due soon.
  virtual bool withdraw() = 0;

  // False if all of it was stopped by itself or by another process: a turn would be wasted.
  bool can_run() const;

  // For the suspension of `gang` itself: stop all of it, then continue it as before.
  void freeze();
  void thaw();

 protected:
  // False if it is stopped already, or may not be.
  bool stop(const Process& process);
  // Continues what was stopped here. A program that stopped itself stays stopped.
  void continue_stopped();
  void refused(const Process& process, const char* what);

  pid_t keeper_;

 private:
  std::string name_;
  std::set<pid_t> stopped_;
  bool reported_ = false;
};

// `plain`: the policy of ordinary threads (priorities.h).
std::unique_ptr<Hold> make_hold(Mechanism mechanism, pid_t keeper, std::string name, int plain);

// Continues all descendants of `keeper` and restores their priorities. For a keeper whose `gang` was killed: what
// `gang` had stopped is not known there.
void restore_all(pid_t keeper, int plain);

}  // namespace gang
