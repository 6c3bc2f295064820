// Keeping a gang off the processors while it is not its turn: one object a gang. A gang is all that
// descends from its keeper; it makes processes and threads while it is looked at, so each step
// looks until nobody new is there.
#pragma once

#include <sys/types.h>

#include <functional>
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

  virtual void grant() = 0;     // its turn begins
  virtual void withdraw() = 0;  // its turn is over, or somebody has meddled since

  // Not if all of it was stopped by itself or by somebody else: such a turn would be nobody's.
  bool can_run() const;

  // With `gang` itself: all of it stopped, and after that as before.
  void freeze();
  void thaw();

 protected:
  // Stops all of it, or those `chosen`, but who has been stopped by somebody else.
  void stop_all(const std::function<bool(const Process&)>& chosen = {});
  // Continues what was stopped here. A program that stopped itself stays so.
  void continue_stopped();
  void refused(const Process& process, const char* what);

  pid_t keeper_;

 private:
  std::string name_;
  std::set<pid_t> stopped_;
  bool complained_ = false;
};

// `plain`: the policy of ordinary threads (priorities.h).
std::unique_ptr<Hold> make_hold(Mechanism mechanism, pid_t keeper, std::string name, int plain);

// Everything below `keeper` is continued and gets its own priority back. For a keeper whose `gang`
// was killed, and so without a memory of what was stopped by whom.
void set_all_right(pid_t keeper, int plain);

}  // namespace gang
