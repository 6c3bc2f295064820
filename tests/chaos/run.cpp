#include "tests/chaos/run.h"

#include "runtime-hooks/teams/team_instances.h"
#include "tests/chaos/team.h"

namespace muster::chaos {
namespace {

using Instances = TeamInstances<ChaosMemory>;

// Plain memory. Each thread has two payloads, used alternately so that a store at one barrier must come after the loads
// at the one before the last; each once as an ordinary store and once as one that bypasses the order of release
// stores.
constexpr unsigned payload(unsigned thread, unsigned turn) { return 4 * thread + 2 * (turn % 2); }
constexpr unsigned kOrder = 4 * kMostThreads;
constexpr unsigned kOrderBypassing = kOrder + 1;
constexpr unsigned kLeave = kOrder + 2;
constexpr unsigned kHandedOn = kOrder + 3;
constexpr unsigned kHandedOnBypassing = kOrder + 4;
constexpr unsigned kTask = kOrder + 5;  // two, used alternately

constexpr unsigned kNeverClosed = 7;

bool pass_by(void*, unsigned, Episode, Episode, const ChaosMemory::Atomic<Episode>*,
             const CallOff<ChaosMemory>&, WaitStats&, Counted) {
  return true;
}

class Walk {
 public:
  Walk(const Plan& plan, const Weakened& weakened, test::SimulatedThreads& threads,
       WeakMemory& memory)
      : plan_(plan), slip_(weakened.slip), threads_(threads), memory_(memory) {
    memory_.open_group(kNeverClosed);
    team_.emplace();
    announced_.emplace(kNoEpisode);
    for (unsigned i = 0; i < 2; ++i) {
      memory_.open_group(i);
      if (!state_[i].make(plan, plan.sizes[i], slip_ != Slip::kNeverWoken))
        memory_.fail("no memory");
      memory_.close(i, true);
    }
  }

  void thread(unsigned me) {
    for (const RealRegion& real : plan_.real_regions) {
      if (is_over()) return;
      const unsigned size = plan_.sizes[real.state];
      if (me == 0) begin(real);
      pool_.meet(threads_, memory_, plan_.threads);
      turn_[me] = 0;
      lasts_[me] = false;
      if (me < size) {
        if (!real.folded) {
          body(me, real.regions[0], size);
        } else if (me == 0) {
          lead(real, size);
        } else {
          Worker worker{*this, me, real, size};
          memory_.at_episode(member(me).episode + 1, size);
          worker_loop(*team_, member(me), me, *announced_, worker);
        }
      }
      pool_.meet(threads_, memory_, plan_.threads);
      if (me == 0) end(real, size);
    }
  }

  Outcome outcome() const {
    Outcome out = counted_;
    for (const State& state : state_) {
      for (const Member& member : state.members) {
        out.sleeps += member.stats.blocks.read();
        out.wake_calls += member.stats.wake_calls.read();
      }
    }
    return out;
  }
  std::string where() const {
    std::string out;
    for (unsigned i = 0; i < plan_.threads; ++i) {
      out += (i == 0 ? " (turns " : ", ") + std::to_string(turn_[i]);
    }
    return out + ")";
  }

 private:
  // A thread of a fold, like the production loop: runtime-hooks/teams/team_instances.h.
  struct Worker {
    Walk& walk;
    const unsigned me;
    const RealRegion& real;
    const unsigned size;
    std::size_t region = 0;
    bool told = false;

    bool leaves() {
      if (walk.is_over()) return true;
      check_join();
      const bool last = region == real.regions.size() || walk.lasts_[me];
      walk.memory_.must_hold(kLeave, last ? 1 : 0);
      return last;
    }
    void begin() {
      walk.memory_.must_hold(kOrder, region + 1);
      walk.memory_.must_hold(kOrderBypassing, region + 1);
      walk.body(me, real.regions[region], size);
      told = false;
      ++region;
      walk.begin_step(me, real.regions[region - 1].join, size);
    }
    void end() { walk.memory_.at_episode(walk.member(me).episode + 1, size); }
    void finish_tasks() {
      if (told || region == 0) walk.memory_.fail("a join called off twice, or the first release");
      told = true;
      walk.at_real_barrier(me, real.regions[region - 1].join, size);
    }
    // All threads have gone to the runtime's barrier, or none.
    void check_join() {
      if (region == 0) return;
      const bool called_off = walk.ends_step(me, real.regions[region - 1].join);
      if (told != called_off) walk.memory_.fail("a join that some took for called off");
      told = called_off;
    }
  };

  bool is_over() const { return !memory_.wrong().empty(); }
  Member& member(unsigned me) { return state_[at_].members[me]; }

  // By thread 0, before the runtime's fork and after its join.
  void begin(const RealRegion& real) {
    at_ = real.state;
    memory_.close(at_, false);
    team_->use(&state_[at_].ops, state_[at_].barrier);
    if (slip_ != Slip::kNeverForgotten) team_->forget_calls_off();
    announced_->store(kNoEpisode, std::memory_order_relaxed);
    memory_.write(kLeave, 0);
    task_ = {};
  }
  void end(const RealRegion&, unsigned size) {
    for (unsigned i = 1; i < size && !is_over(); ++i) {
      if (member(i).episode != member(0).episode) memory_.fail("episodes differ");
      if (turn_[i] != turn_[0]) memory_.fail("a thread has left early");
    }
    memory_.close(at_, true);
  }

  // Thread 0 of a fold: runtime-hooks/folding/fold.cpp.
  void lead(const RealRegion& real, unsigned size) {
    for (std::size_t region = 0; region < real.regions.size() && !is_over(); ++region) {
      if (slip_ == Slip::kOrderLate) begin_region();
      memory_.write(kOrder, region + 1);
      memory_.write(kOrderBypassing, region + 1, /*bypassing=*/true);
      drain();
      if (slip_ != Slip::kOrderLate) begin_region();
      ++counted_.regions;
      body(0, real.regions[region], size);
      const Step& join = real.regions[region].join;
      begin_step(0, join, size);
      if (slip_ != Slip::kEndsEarly && !team_->end_region(member(0), 0)) {
        if (!expected(0, join)) memory_.fail("a join called off for nothing");
        at_real_barrier(0, join, size);
      } else if (expected(0, join) && slip_ != Slip::kEndsEarly) {
        memory_.fail("a join not called off");
      }
      check_payloads(0, size);
      if (ends_step(0, join) && lasts_[0]) break;
    }
    memory_.write(kLeave, 1);
    drain();
    begin_region();
  }
  void begin_region() {
    auto& release = state_[at_].ops.release;
    const auto real = release;
    if (slip_ == Slip::kOnlyAnnounced) release = pass_by;
    ++counted_.instances;
    threads_.made_progress();
    team_->begin_region(member(0), *announced_);
    release = real;
  }
  // Like drain_non_temporal_stores() before a fold's order is announced.
  void drain() { memory_.drain(Place::current()); }

  void body(unsigned me, const Region& region, unsigned size) {
    for (std::size_t i = 0; i < region.barriers.size() && !is_over(); ++i) {
      const Step* next = i + 1 < region.barriers.size() ? &region.barriers[i + 1] : &region.join;
      const Step& step = region.barriers[i];
      begin_step(me, step, size);
      if (step.in_halves) {
        halves(me, step, size, *next);
      } else {
        whole(me, step, size);
      }
      ends_step(me, step);
    }
  }

  // Everything before the arrival.
  void begin_step(unsigned me, const Step& step, unsigned size) {
    ++turn_[me];
    memory_.at_episode(member(me).episode + 1, size);
    if (me == 0) {
      ++counted_.instances;
      if (expected(me, step)) ++counted_.called_off;
    }
    if (plan_.late_of_256 != 0 && threads_.draw() % 256 < plan_.late_of_256) {
      threads_.delay(threads_.draw() % (threads_.one_in(4) ? 50'000 : 4'000));
    } else if (plan_.very_late_of_256 != 0 && threads_.draw() % 256 < plan_.very_late_of_256) {
      threads_.delay(threads_.draw_long());
    }
    memory_.write(payload(me, turn_[me]), turn_[me]);
    memory_.write(payload(me, turn_[me]) + 1, turn_[me], /*bypassing=*/true);
    if (step.callers[me]) call_off(me, step, turn_[me], slip_ == Slip::kWrongInstance);
  }
  void call_off(unsigned me, const Step& step, unsigned turn, bool at_real) {
    if (is_only_caller(me, step)) memory_.write(kTask + turn % 2, turn);
    team_->call_off(member(me), at_real, step.lasting);
    task_ = {turn, step.lasting, task_.turn == turn && task_.has_children};
  }
  bool is_only_caller(unsigned me, const Step& step) const {
    if (lasts_[me]) return false;
    unsigned callers = step.early ? 1 : 0;
    for (const bool calls : step.callers) callers += calls ? 1 : 0;
    return callers == 1;
  }
  bool expected(unsigned me, const Step& step) const { return lasts_[me] || step.is_called_off(); }
  bool ends_step(unsigned me, const Step& step) {
    const bool called_off = expected(me, step);
    if (step.lasting && step.is_called_off()) lasts_[me] = true;
    threads_.made_progress();
    return called_off;
  }

  void at_real_barrier(unsigned me, const Step& step, unsigned size) {
    if (is_only_caller(me, step) && !task_.has_children) {
      memory_.must_hold(kTask + turn_[me] % 2, turn_[me]);
    }
    if (step.at_real && threads_.one_in(2)) create_at_real(me, false);
    real_.meet(threads_, memory_, size);
    if (plan_.late_of_256 != 0 && threads_.one_in(4)) leave_late(me);
  }
  // The others have left the runtime's barrier and created tasks. This thread, still in that barrier, runs one of them,
  // which creates more.
  void leave_late(unsigned me) {
    threads_.delay(threads_.draw() % 4'000);
    if (task_.turn <= turn_[me]) return;
    task_.has_children = true;
    create_at_real(me, task_.lasting && threads_.one_in(2));
  }
  void create_at_real(unsigned me, bool lasting) {
    const bool again = slip_ == Slip::kNamedAgain;
    if (again) --member(me).episode;
    team_->call_off(member(me), /*at_real=*/!again, lasting);
    if (again) ++member(me).episode;
  }

  void whole(unsigned me, const Step& step, unsigned size) {
    const bool released = team_->arrive_and_wait(member(me), me);
    if (released == expected(me, step)) {
      memory_.fail(released ? "not called off" : "called off for nothing");
    }
    if (!released) at_real_barrier(me, step, size);
    check_payloads(me, size);
  }

  // Like runtime-hooks/teams/barrier_gate.h.
  void halves(unsigned me, const Step& step, unsigned size, const Step& next) {
    const bool off = expected(me, step);
    const bool gathered = team_->gather(member(me), me);
    if (gathered ? off && me == 0 : !off) memory_.fail("a gather called off, or not");
    if (!gathered) gather_for_real(me, step, size);
    if (me == 0) {
      check_payloads(me, size);
      memory_.write(kHandedOn, turn_[0]);
      memory_.write(kHandedOnBypassing, turn_[0], /*bypassing=*/true);
      if (next.early) call_off(me, next, turn_[0] + 1, false);
      ++counted_.instances;
    }
    memory_.at_episode(member(me).episode, size);
    const bool told = me == 0 || !gathered || slip_ == Slip::kToldAlways;
    if (!team_->release(member(me), me, told)) {
      if (told || !off) memory_.fail("a release called off");
      gather_for_real(me, step, size);
      if (!team_->release(member(me), me, true)) memory_.fail("a release called off twice");
    } else if (off && !told) {
      memory_.fail("released from a gather that was called off");
    }
    if (me == 0) return;
    memory_.must_hold(kHandedOn, turn_[me]);
    memory_.must_hold(kHandedOnBypassing, turn_[me]);
  }
  void gather_for_real(unsigned me, const Step& step, unsigned size) {
    at_real_barrier(me, step, size);
    if (slip_ != Slip::kNumberLost || me == 0) team_->gathered_otherwise(member(me));
  }

  void check_payloads(unsigned me, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      memory_.must_hold(payload(i, turn_[me]), turn_[me]);
      memory_.must_hold(payload(i, turn_[me]) + 1, turn_[me]);
    }
  }

  const Plan& plan_;
  const Slip slip_;
  test::SimulatedThreads& threads_;
  WeakMemory& memory_;
  std::optional<Instances> team_;
  std::optional<Instances::Announcement> announced_;
  State state_[2];
  unsigned at_ = 0;
  Meeting pool_;  // real forks and joins
  Meeting real_;  // real barriers
  struct Task {
    unsigned turn = 0;  // in which it was created
    bool lasting = false;
    bool has_children = false;  // calling off by these is not ordered after kTask
  };
  Task task_;                         // created last
  unsigned turn_[kMostThreads] = {};  // payloads written in this real region
  bool lasts_[kMostThreads] = {};     // what was called off stays so
  Outcome counted_;
};

}  // namespace

std::string name_of(Slip slip) {
  constexpr const char* kNames[] = {
      "none",           "order-late",      "never-woken", "only-announced", "told-always",
      "wrong-instance", "never-forgotten", "number-lost", "ends-early",     "named-again"};
  return kNames[static_cast<unsigned>(slip)];
}

void Outcome::add(const Outcome& other) {
  instances += other.instances;
  called_off += other.called_off;
  regions += other.regions;
  sleeps += other.sleeps;
  wake_calls += other.wake_calls;
}

Runner::Runner() {
  ChaosMemory::threads = &threads_;
  g_memory = &memory_;
}

Outcome Runner::run(const Plan& plan, const Weakened& weakened) {
  using End = test::SimulatedThreads::End;
  memory_.clear(plan.memory, weakened.mutation, weakened.notes_sites);
  ChaosMemory::cpus = plan.cpus;
  Walk walk(plan, weakened, threads_, memory_);
  memory_.begin();
  const End end =
      threads_.run(plan.threads, plan.seed, [&](unsigned me) { walk.thread(me); }, plan.schedule);
  Outcome out = walk.outcome();
  out.wrong = memory_.wrong();
  if (out.wrong.empty() && end == End::kAllAsleep) out.wrong = "a wake-up was lost: all are asleep";
  if (out.wrong.empty() && end == End::kNoProgress) out.wrong = "no progress";
  if (!out.wrong.empty()) out.wrong += walk.where();
  return out;
}

}  // namespace muster::chaos
