// A thread of the simulated machine, as the machine and its scheduler see it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

namespace muster::smp {

// In the unit of the run: steps, as Tsafrir and Feitelson have them, or ns.
using Time = std::int64_t;
inline constexpr Time kNever = std::numeric_limits<Time>::max();
inline constexpr unsigned kNoProcessor = ~0U;

class Behaviour;

// The paper's three states (section 2.1), and before and after them.
enum class State : std::uint8_t { kNew, kReady, kRunning, kBlocked, kGone };

// What a thread wants to do next. Times are of its own running.
struct Demand {
  enum class Kind : std::uint8_t {
    kCompute,  // for `time`
    kSpin,     // until signalled, for at most `time`
    kBlock,    // until woken, for at most `time` if that is not kNever
    kYield,    // let others run
    kExit,
  };
  Kind kind = Kind::kExit;
  Time time = 0;
};

struct Task {
  unsigned number = 0;  // of all threads
  unsigned job = 0;     // threads of a job share their address space
  State state = State::kNew;
  bool spinning = false;  // what it does when it runs
  // Since it was chosen, until the switch away from it is over. A thread that is on a processor cannot be
  // given another one, even when it has blocked or been preempted.
  bool on_processor = false;
  unsigned processor = kNoProcessor;  // that it is on, or was on last
  unsigned pinned = kNoProcessor;     // the only one that it may use; kNoProcessor: all
  Time slice = 0;                     // that it asked its scheduler for; 0: none
  int nice = 0;
  Time ran = 0;  // computing and spinning, up to the last change (Machine::bring_up_to_date)

  // Whether its last spin or timed block was ended by others, not by time.
  bool signalled = false;

  // The scheduler's own; made in Scheduler::add.
  struct Queued {
    virtual ~Queued() = default;
  };
  std::unique_ptr<Queued> queued;

  // The machine's own.
  std::unique_ptr<Behaviour> behaviour;
  Demand demand;
  Time left = 0;            // of the demand
  bool wake_comes = false;  // was woken while still being switched away
  std::uint64_t timer = 0;  // number of the timed block that it is in
  Time since = 0;           // when its state changed last
  Time computed = 0;
  Time spun = 0;
  Time was_ready = 0;
  Time was_blocked = 0;
};

class Machine;

// What a thread does: asked each time when it is running and its last demand is met.
class Behaviour {
 public:
  virtual ~Behaviour() = default;
  virtual Demand next(Machine& machine, Task& me) = 0;
};

}  // namespace muster::smp
