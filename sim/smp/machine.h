// The simulated SMP at work (Tsafrir and Feitelson, section 2.1): processors, each idle, switching or
// running one thread, and threads that are ready, running or blocked. Discrete events, in the order of
// their times, and of their making where times are equal; but a clock's tick is the first thing that happens
// at its time, and who gives up spinning at a time has seen all that happens at that time.
//
// A context switch takes `context_switch` of the processor's time, from any thread to another, to idleness
// and back. Whom it goes to is decided when it begins; for as long as it lasts, the thread that it leaves
// is on the processor still. So a thread that is woken right after it has decided to block is blocked
// first, and runs again 2 CS later at the earliest (section 4.2).
//
// An interrupted processor decides `interrupt_delay` later: meanwhile nobody sees that it will (appendix
// A's race).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "sim/smp/scheduler.h"
#include "sim/smp/task.h"

namespace muster::smp {

struct MachineShape {
  unsigned processors = 32;
  Time context_switch = 6;
  Time interrupt_delay = 0;
  bool idle_at_once = false;  // no switch to idleness: only the thread takes CS to leave
};

// What a processor does, and how long it has.
enum class Activity : std::uint8_t { kIdle, kSwitching, kComputing, kSpinning };
inline constexpr int kActivities = 4;

struct Processor {
  Task* current = nullptr;  // who runs, or is being switched away
  Task* next = nullptr;     // who is being switched to
  bool switching = false;
  bool interrupted = false;  // is going to choose anew
  Time idle_since = 0;       // when that was decided
  Activity activity = Activity::kIdle;
  Time since = 0;  // of the activity
  Time times[kActivities] = {};
  std::uint64_t turn = 0;  // events of an earlier one are void

  // Timers are set anew at each switch, mostly for the time that they were set for: so the event that is
  // there stays, and is put off when it comes.
  struct Timer {
    Time at = kNever;
    std::uint64_t order = 0;
    Time event = kNever;     // there is one for this time
    std::uint64_t turn = 0;  // events of an earlier one are void
  };
  Timer timer;
};

// Told of every change, when it has happened.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void thread_changed(Time now, const Task& task) = 0;
  virtual void processor_changed(Time now, unsigned number, const Processor& processor) = 0;
};

class Machine {
 public:
  Machine(const MachineShape& shape, Scheduler& scheduler, Observer* observer = nullptr);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Before run().
  Task& make_task(unsigned job, std::unique_ptr<Behaviour> behaviour);
  // They become ready at time `at`, in the order of the list.
  void arrive(std::vector<Task*> tasks, Time at);
  // Something that happens at a time, by nobody.
  void at(Time time, std::function<void()> what);

  // Until stop() is called, nothing is left to happen or `limit` is reached. Throws std::runtime_error when
  // all threads wait for something that nobody does. Times are brought up to date.
  void run(Time limit = kNever);
  void stop() { stopped_ = true; }

  Time now() const { return now_; }
  const MachineShape& shape() const { return shape_; }
  const Processor& processor(unsigned number) const { return processors_[number]; }
  unsigned processors() const { return static_cast<unsigned>(processors_.size()); }
  std::span<const std::unique_ptr<Task>> tasks() const { return tasks_; }

  // For behaviours. Ends the spin of each, whether it runs or waits for a processor; without effect on
  // those that do not spin.
  void signal(Task& task);
  // Makes blocked threads ready, all at once; without effect on those that are not blocked.
  void wake(std::span<Task* const> tasks, unsigned processor);

  // For schedulers.
  void interrupt(unsigned processor) { interrupt(processor, shape_.interrupt_delay); }
  // After another delay: its own sees it at once, an idle one has to be woken. One that switches has the
  // machine's, when it has switched.
  void interrupt(unsigned processor, Time delay);
  // Nobody runs there, or is going to: also while it is being switched to idleness. Interrupted then, it
  // chooses anew when the switch is over.
  bool idle(unsigned processor) const {
    const Processor& one = processors_[processor];
    return one.switching ? one.next == nullptr : one.current == nullptr;
  }
  // One time for each processor; a new one replaces the old. kNever: none.
  void set_timer(unsigned processor, Time at) { set_timer(processor, at, Rank::kUsual); }
  // The same, but before all else that happens then, and in the order of the processors.
  void set_clock(unsigned processor, Time at) { set_timer(processor, at, Rank::kClock); }
  // Up to when the ticks of a processor's clock have been: within a tick of one before it, not yet now.
  Time ticked(unsigned processor) const {
    return ticking_ != kNoProcessor && processor > ticking_ ? now_ - 1 : now_;
  }
  // Adds to `ran` what the thread that runs there has run up to now.
  void bring_up_to_date(unsigned processor);

 private:
  enum class Kind : std::uint8_t { kSwitched, kLeft, kMet, kTimer, kInterrupt, kTimeout, kCall };
  enum class Rank : std::uint8_t { kClock, kUsual, kGivesUp };  // of what happens at the same time
  struct Event {
    Time at;
    std::uint64_t order;  // of those at one time: order_of()
    std::uint64_t turn;   // what makes it void
    unsigned number;      // of the processor or the task
    Kind kind;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  static constexpr std::uint64_t kGivesUp = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kUsual = std::uint64_t{1} << 32;  // above any processor's number

  std::uint64_t order_of(unsigned number, Rank rank);
  void schedule(Time at, Kind kind, unsigned number, std::uint64_t turn, Rank rank = Rank::kUsual);
  void set_timer(unsigned processor, Time at, Rank rank);
  void await_end(unsigned number);
  bool is_time(const Event& event);
  void take(const Event& event);
  void go_on(unsigned number);
  void ask(unsigned number);
  void leave(unsigned number, Scheduler::Left left);
  void switch_to(unsigned number, Task* next);
  void become_idle(unsigned number);
  void switched(unsigned number);
  void left(Task& task, unsigned number);
  void set_activity(unsigned number, Activity activity);
  void set_state(Task& task, State state);

  const MachineShape shape_;
  Scheduler& scheduler_;
  Observer* const observer_;
  std::vector<Processor> processors_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::function<void()>> calls_;
  std::uint64_t order_ = kUsual;
  Time now_ = 0;
  unsigned ticking_ = kNoProcessor;  // whose set_clock it is that happens
  bool stopped_ = false;
};

}  // namespace muster::smp
