// The barrier instances of a team: their numbers, their halves, and how they are called off. On any Memory, so that
// the tests that draw or enumerate executions run this source.
#pragma once

#include "barriers/barrier_state.h"
#include "barriers/layout.h"
#include "runtime-hooks/teams/phase_stamps.h"
#include "waiting/call_off.h"
#include "waiting/wait_stats.h"

namespace muster {

// One thread's part of a team.
struct alignas(kCoherenceGranule) Member {
  Episode episode = 0;          // barrier instances arrived at
  void* reduce_data = nullptr;  // of the current reduction, for the thread that combines it
  WaitStats stats;
  PhaseStamps stamps;  // with MUSTER_SITES
};

template <class Memory>
class TeamInstances {
 public:
  // Arrives at the next instance and waits. True: released. False: all threads must go on to the
  // real barrier for this instance.
  bool arrive_and_wait(Member& me, unsigned thread) {
    return ops_->arrive_and_wait(barrier_, thread, ++me.episode, call_off_, me.stats);
  }

  // A barrier in halves (BarrierOps): at gather() all threads arrive and only thread 0 waits, at release() the others
  // wait for it. They are two instances. False: the gather was called off and is replaced by the real barrier,
  // followed by gathered_otherwise(). A thread that knows so passes `told` to the release, which is not called off
  // then. Tasks that thread 0 creates between the two belong to the instance after them, so the release's number is
  // taken early.
  bool gather(Member& me, unsigned thread) {
    if (!ops_->gather(barrier_, thread, ++me.episode, call_off_, me.stats, Counted::kBarrier))
      return false;
    ++me.episode;
    return true;
  }
  bool release(Member& me, unsigned thread, bool told) {
    const Episode ended_by = told ? kNoEpisode : me.episode - 1;
    if (ops_->release(barrier_, thread, me.episode, ended_by, nullptr, call_off_, me.stats,
                      Counted::kBarrier))
      return true;
    --me.episode;  // tasks of the real barrier are for the gather's instance
    return false;
  }
  void gathered_otherwise(Member& me) { ++me.episode; }

  // The join and the fork of a folded region: thread 0 publishes a region and gathers the others, which wait for it.
  // end_region(): false as above.
  bool end_region(Member& me, unsigned thread) {
    return ops_->gather(barrier_, thread, ++me.episode, call_off_, me.stats, Counted::kRegion);
  }
  using Announcement = typename Memory::template Atomic<Episode>;
  void begin_region(Member& me, Announcement& announced) {
    announced.store(++me.episode, std::memory_order_release);
    ops_->release(barrier_, 0, me.episode, kNoEpisode, &announced, call_off_, me.stats,
                  Counted::kRegion);
  }
  // False: the join `ended_by` was called off after this thread had left it. The next region has not begun then.
  bool wait_for_region(Member& me, unsigned thread, Episode ended_by,
                       const Announcement& announced) {
    const Episode episode = me.episode + 1;
    if (!ops_->release(barrier_, thread, episode, ended_by, &announced, call_off_, me.stats,
                       Counted::kRegion)) {
      return false;
    }
    me.episode = episode;
    return true;
  }

  // The real barrier must finish what the calling thread has just created: its next instance is called off or, with
  // `lasting`, all instances of the rest of the region. A task that is created at a real barrier has a parent that
  // was created for the same instance, which was called off then. It must not be called off again: teammates may not
  // yet have arrived at it or, if this thread leaves a real barrier late, may already wait for the next one.
  void call_off(Member& me, bool at_real_barrier, bool lasting) {
    if (at_real_barrier && !lasting) return;
    const Episode episode = me.episode + 1;
    const bool news = lasting ? call_off_.request_from(episode) : call_off_.request(episode);
    if (news) ops_->wake_everyone(barrier_, me.stats);
  }
  bool is_called_off_for_long(Episode episode) const { return call_off_.is_lasting(episode); }
  // Only while no thread is at a barrier of the team.
  void forget_calls_off() { call_off_.reset(); }

  // The barrier of the current size; null: not replaced. Only while no thread is at one.
  void use(const BarrierOps<Memory>* ops, void* barrier) {
    ops_ = ops;
    barrier_ = barrier;
  }
  bool is_replaced() const { return ops_ != nullptr; }

 private:
  CallOff<Memory> call_off_;
  alignas(kCoherenceGranule) const BarrierOps<Memory>* ops_ = nullptr;
  void* barrier_ = nullptr;
};

// The loop of a fold's threads other than the primary: wait for a region, run it, arrive at its end. `worker` has
// leaves(), whether to leave the loop; begin() and end(), which run the region; and finish_tasks(), the real barrier
// that replaces a join that was called off.
template <class Memory, class Worker>
void worker_loop(TeamInstances<Memory>& team, Member& me, unsigned thread,
                 const typename TeamInstances<Memory>::Announcement& announced, Worker&& worker) {
  // The gather that this thread has left last. Teammates that had not arrived there could still call it off.
  Episode gathered = kNoEpisode;
  for (;;) {
    while (!team.wait_for_region(me, thread, gathered, announced)) {
      worker.finish_tasks();
      gathered = kNoEpisode;
    }
    if (worker.leaves()) return;
    worker.begin();
    if (team.end_region(me, thread)) {
      gathered = me.episode;
    } else {
      worker.finish_tasks();
      gathered = kNoEpisode;
    }
    worker.end();
  }
}

}  // namespace muster
