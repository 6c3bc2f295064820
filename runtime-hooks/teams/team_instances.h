// The barrier instances of a team: which number each has, in which halves it comes, and how it is called
// off. On any Memory, so that the tests that draw or enumerate executions run this very source.
#pragma once

#include "barriers/barrier_state.h"
#include "barriers/layout.h"
#include "waiting/call_off.h"
#include "waiting/wait_stats.h"

namespace muster {

// One thread's part of a team.
struct alignas(kCoherenceGranule) Member {
  Episode episode = 0;          // barrier instances arrived at
  void* reduce_data = nullptr;  // of the present reduction, for whoever combines it
  WaitStats stats;
};

template <class Memory>
class TeamInstances {
 public:
  // Arrives at the next instance and waits. True: released. False: all threads must go on to the
  // real barrier for this instance.
  bool arrive_and_wait(Member& me, unsigned thread) {
    return ops_->arrive_and_wait(barrier_, thread, ++me.episode, call_off_, me.stats);
  }

  // A barrier in halves (BarrierOps): at gather() everyone arrives and only thread 0 waits, at
  // release() the others wait for it. They are two instances. False: the gather was called off, and
  // the real barrier stands for it; then gathered_otherwise(). Who has been told so passes `told` to
  // the release, which then is there for all. What thread 0 creates between the two is for the
  // instance after them, so the release's number is taken early.
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

  // The join and the fork of a folded region: thread 0 hands out and collects, the others wait for
  // what is handed out. end_region(): false as above.
  bool end_region(Member& me, unsigned thread) {
    return ops_->gather(barrier_, thread, ++me.episode, call_off_, me.stats, Counted::kRegion);
  }
  using Announcement = typename Memory::template Atomic<Episode>;
  void begin_region(Member& me, Announcement& announced) {
    announced.store(++me.episode, std::memory_order_release);
    ops_->release(barrier_, 0, me.episode, kNoEpisode, &announced, call_off_, me.stats,
                  Counted::kRegion);
  }
  // False: the join `ended_by` was called off after this thread had left it. The next region's
  // beginning is still to come then.
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

  // The real barrier must finish what the calling thread has just created: its next instance, or with
  // `lasting` all the rest of the region. A task that is created at a real barrier has a parent that
  // was created for the same instance: it was called off then. It must not be named again, since
  // teammates may not yet have arrived at the one that this thread is at, or, where this thread leaves
  // a real barrier late, may look for the one after it.
  void call_off(Member& me, bool at_real_barrier, bool lasting) {
    if (at_real_barrier && !lasting) return;
    const Episode episode = me.episode + 1;
    const bool news = lasting ? call_off_.request_from(episode) : call_off_.request(episode);
    if (news) ops_->wake_everyone(barrier_, me.stats);
  }
  bool is_called_off_for_long(Episode episode) const { return call_off_.is_lasting(episode); }
  // Only while no thread is at a barrier of the team.
  void forget_calls_off() { call_off_.reset(); }

  // The barrier of the present size; null: not replaced. Only while no thread is at one.
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

// What a fold's threads other than the primary do, until they are told to leave: wait for a region, run
// it, arrive at its end. `worker` has leaves(), whether the order is to leave; begin() and end(), the
// region; finish_tasks(), the real barrier that stands for a join that was called off.
template <class Memory, class Worker>
void worker_loop(TeamInstances<Memory>& team, Member& me, unsigned thread,
                 const typename TeamInstances<Memory>::Announcement& announced, Worker&& worker) {
  // The gather that this thread has left without knowing whether all could: others may call it off
  // as long as they have not arrived there.
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
