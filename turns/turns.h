// Turns between processes: a team whose turn it is not sleeps at its barriers. One object for each process.
//
// Idea     Several teams that want the same CPUs pass most barriers if each in turn has them to itself. Time is divided
//          into turns of 5 ms, the same for all processes. At the first barrier of a turn, one thread reads the page,
//          finds out when its process's next turn is (ring.h), and stores the answer. A thread that arrives at a
//          barrier in another's turn sleeps until then, before it arrives. So the team's other threads wait for it, and
//          those block. Nothing else of a barrier changes, and threads need not agree.
//          Sleepers wake a moment after the turn begins: by then the CPU on which each slept is free again. And in each
//          turn every thread has a CPU of its own. Without both, threads of a team meet on a CPU and stay there.
// Cost     Without others in the way, one load at each barrier. In their way, a clock read at some of them, and for
//          each turn of its own a scan of the page by one thread and one sleep by every thread.
// Bound    At most kMostTurnsOff turns in a row are not its process's, whatever the page says, and no thread sleeps
//          longer. No thread waits for another process, only for the clock.
// Source   Ousterhout 1982, "Scheduling Techniques for Concurrent Systems". When it pays: Peter et al. 2011.
//
// Relaxed throughout: a thread that reads an old value sleeps or does not sleep in one turn, nothing else.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "turns/page.h"
#include "turns/ring.h"
#include "turns/tuning.h"

namespace muster {

// What a process wants: asked in every turn by one thread.
struct TurnNeeds {
  std::uint64_t wants = 0;  // CPUs; 0: not to take turns
  CpuSet cpus;
};

struct TurnSources {
  // The page, when other processes are first seen; null: there is none. Called once, in a thread that waits.
  TurnPage* (*open_page)(void* context);
  void (*read_needs)(void* context, TurnNeeds& needs);
  void* context = nullptr;
  std::uint64_t id = 0;  // of this process: no other has it, not 0
};

class Turns {
 public:
  // Before it is called, nothing else has an effect. In the child of a fork it is called again: the child is another
  // member. While no other thread is here.
  void begin(const TurnSources& sources) {
    sources_ = sources;
    record_.store(nullptr, std::memory_order_relaxed);
    decision_.store(0, std::memory_order_relaxed);
    in_force_.store(false, std::memory_order_relaxed);
    joined_.store(false, std::memory_order_relaxed);
    looking_.store(false, std::memory_order_relaxed);
  }

  // Other processes are in this one's way: its threads call must_sleep() before they arrive at a barrier.
  bool in_force() const { return in_force_.load(std::memory_order_relaxed); }

  // For a thread that is about to arrive, while in force: whether it must sleep first.
  bool must_sleep(std::uint64_t now_ns) {
    const std::uint64_t worked_ns = now_ns - seen_ns_.load(std::memory_order_relaxed);
    beat(now_ns);
    return worked_ns <= turns_tuning::kCoarseNs && is_off(now_ns);
  }

  // Sleeps until its next turn; returns for how long. Memory and its Scheduler: waiting/memory.h.
  template <class Memory>
  std::uint64_t sleep(std::uint64_t began_ns) {
    std::uint64_t now_ns = began_ns;
    do {
      const std::uint64_t until_ns = begin_of(next_own_turn()) + turns_tuning::kGuardNs;
      if (until_ns - now_ns > (turns_tuning::kMostTurnsOff + 1) * turns_tuning::kTurnNs) break;
      Memory::Scheduler::nap(until_ns - now_ns);
      const std::uint64_t later_ns = Memory::now_ns();
      if (later_ns < now_ns) break;  // the clock went back
      now_ns = later_ns;
      seen_ns_.store(now_ns, std::memory_order_relaxed);
    } while (is_off(now_ns));
    return now_ns - began_ns;
  }

  // Whether a turn, anybody's, is in its first part.
  static bool has_just_begun(std::uint64_t now_ns) {
    return now_ns % turns_tuning::kTurnNs < turns_tuning::kPlaceNs;
  }

  // In its own turn: the CPU for that thread of a team, by its number. Threads that share a turn have different ones.
  // kNoHome if the CPUs of the members differ.
  static constexpr unsigned kNoHome = ~0U;
  unsigned home(unsigned thread) const {
    const unsigned first = first_home_.load(std::memory_order_relaxed);
    const unsigned homes = homes_.load(std::memory_order_relaxed);
    if (first == kNoHome || homes == 0) return kNoHome;
    unsigned rest = (first + thread) % homes;
    for (unsigned i = 0; i < CpuSet::kWords; ++i) {
      std::uint64_t word = home_cpus_[i].load(std::memory_order_relaxed);
      const auto here = static_cast<unsigned>(std::popcount(word));
      if (rest >= here) {
        rest -= here;
        continue;
      }
      for (; rest != 0; --rest) word &= word - 1;
      return 64 * i + static_cast<unsigned>(std::countr_zero(word));
    }
    return kNoHome;
  }

  // For a thread that waits at a barrier, at times. `contended`: other processes want its CPUs.
  void look(std::uint64_t now_ns, bool contended) {
    const bool joined = joined_.load(std::memory_order_relaxed);
    if (!joined && !contended) return;
    if (sources_.open_page == nullptr) return;
    if (contended) last_contended_ns_.store(now_ns, std::memory_order_relaxed);
    if (!joined) joined_.store(true, std::memory_order_relaxed);
    beat(now_ns);
    is_off(now_ns);
  }

  // Whether it is another's turn: then a thread that waits need not spin.
  bool is_off(std::uint64_t now_ns) {
    const std::uint64_t turn = turn_of(now_ns);
    std::uint64_t decision = decision_.load(std::memory_order_relaxed);
    if (!is_for(decision, turn)) {
      decide(turn, now_ns);
      decision = decision_.load(std::memory_order_relaxed);
    }
    return turn - (decision >> kOffBits) < (decision & kMostOff);
  }

  // Frees the record: at the end of the process, or when nobody is in the way.
  void leave() {
    TurnRecord* const record = record_.exchange(nullptr, std::memory_order_relaxed);
    if (record == nullptr || !is_mine(*record)) return;
    record->live_until_ns.store(0, std::memory_order_relaxed);
    record->owner.store(0, std::memory_order_relaxed);
  }

 private:
  static std::uint64_t turn_of(std::uint64_t now_ns) { return now_ns / turns_tuning::kTurnNs; }
  static std::uint64_t begin_of(std::uint64_t turn) { return turn * turns_tuning::kTurnNs; }

  bool is_mine(const TurnRecord& record) const {
    return record.owner.load(std::memory_order_relaxed) == sources_.id;
  }

  // A decision: the turn in which it was made, and how many turns from that on are others'.
  static constexpr unsigned kOffBits = 8;
  static constexpr std::uint64_t kMostOff = (1U << kOffBits) - 1;
  static_assert(turns_tuning::kMostTurnsOff <= kMostOff);
  static bool is_for(std::uint64_t decision, std::uint64_t turn) {
    const std::uint64_t off = decision & kMostOff;
    return turn - (decision >> kOffBits) < (off == 0 ? 1 : off);
  }
  std::uint64_t next_own_turn() const {
    const std::uint64_t decision = decision_.load(std::memory_order_relaxed);
    return (decision >> kOffBits) + (decision & kMostOff);
  }

  static bool is_live(std::uint64_t until_ns, std::uint64_t now_ns) {
    return until_ns - now_ns - 1 < turns_tuning::kMostLiveNs;
  }

  static bool is_abandoned(std::uint64_t until_ns, std::uint64_t now_ns) {
    return !is_live(until_ns, now_ns) && now_ns - until_ns >= turns_tuning::kAbandonedNs;
  }

  // This process is at work. Only a few threads of a team come to store.
  void beat(std::uint64_t now_ns) {
    const std::uint64_t since_ns = now_ns - seen_ns_.load(std::memory_order_relaxed);
    if (since_ns < turns_tuning::kBeatNs) return;
    seen_ns_.store(now_ns, std::memory_order_relaxed);
    TurnRecord* const record = record_.load(std::memory_order_relaxed);
    if (record != nullptr) works_until(*record, now_ns + turns_tuning::kLiveNs);
  }

  // Later than was said before: a sign of life must not take back what was said of the next turn. What stands in the
  // page counts for nothing.
  void works_until(TurnRecord& record, std::uint64_t until_ns) {
    if (is_live(live_until_ns_.load(std::memory_order_relaxed), until_ns)) return;
    live_until_ns_.store(until_ns, std::memory_order_relaxed);
    record.live_until_ns.store(until_ns, std::memory_order_relaxed);
  }

  // Decides for this turn, unless another thread does so at this moment: then the caller goes on as in its own turn.
  void decide(std::uint64_t turn, std::uint64_t now_ns) {
    if (looking_.exchange(true, std::memory_order_acquire)) return;
    if (!is_for(decision_.load(std::memory_order_relaxed), turn)) {
      const std::uint64_t off = find_out(turn, now_ns);
      decision_.store(turn << kOffBits | off, std::memory_order_relaxed);
    }
    looking_.store(false, std::memory_order_release);
  }

  // How many turns from this one on are others', by the page.
  std::uint64_t find_out(std::uint64_t turn, std::uint64_t now_ns) {
    if (page_ == nullptr && !is_refused_) {
      page_ = sources_.open_page(sources_.context);
      is_refused_ = page_ == nullptr || !page_->is_usable();
    }
    TurnNeeds needs;
    if (!is_refused_) sources_.read_needs(sources_.context, needs);
    TurnRecord* const mine =
        is_refused_ || needs.wants == 0 ? nullptr : write_record(*page_, needs, now_ns);
    if (mine == nullptr) {
      in_force_.store(false, std::memory_order_relaxed);
      return 0;
    }
    works_until(*mine, now_ns + turns_tuning::kLiveNs);
    const unsigned me = read_members(*page_, needs, now_ns);
    const bool alone = ring_.all_fit();
    const std::uint64_t off = alone ? 0 : turns_off(me, turn);
    if (off == 0) last_on_ = turn;
    if (!alone) last_crowded_ = turn;
    if (in_force() == alone) in_force_.store(!alone, std::memory_order_relaxed);
    if (alone) {
      leave_if_not_needed(turn);
      return 0;
    }
    give_homes(needs, ring_.is_of_one_set() ? ring_.column(me) : kNoHome);
    // Until its next turn it shows no other sign of life: its threads sleep, or the kernel lets one wait that computes.
    const std::uint64_t next = off == 0 ? turn + 1 + turns_off(me, turn + 1) : turn + off;
    works_until(*mine, begin_of(next) + turns_tuning::kLiveNs);
    return off;
  }

  // How many turns from this one on are others', by the ring.
  std::uint64_t turns_off(unsigned me, std::uint64_t turn) {
    std::uint64_t off = 0;
    while (turn + off - last_on_ <= turns_tuning::kMostTurnsOff && !ring_.is_on(me, turn + off))
      ++off;
    return off;
  }

  void give_homes(const TurnNeeds& needs, unsigned first) {
    homes_.store(needs.cpus.count(), std::memory_order_relaxed);
    for (unsigned i = 0; i < CpuSet::kWords; ++i)
      home_cpus_[i].store(needs.cpus.words[i], std::memory_order_relaxed);
    first_home_.store(first, std::memory_order_relaxed);
  }

  void leave_if_not_needed(std::uint64_t turn) {
    const std::uint64_t contended = turn_of(last_contended_ns_.load(std::memory_order_relaxed));
    if (turn - last_crowded_ <= turns_tuning::kTurnsAlone ||
        turn - contended <= turns_tuning::kTurnsAlone)
      return;
    leave();
    joined_.store(false, std::memory_order_relaxed);
  }

  // Null: none is free.
  TurnRecord* write_record(TurnPage& page, const TurnNeeds& needs, std::uint64_t now_ns) {
    TurnRecord* record = record_.load(std::memory_order_relaxed);
    if (record == nullptr || !is_mine(*record)) {
      record = claim(page, now_ns);
      live_until_ns_.store(0, std::memory_order_relaxed);
    }
    record_.store(record, std::memory_order_relaxed);
    if (record == nullptr) return nullptr;
    record->wants.store(needs.wants, std::memory_order_relaxed);
    for (unsigned i = 0; i < CpuSet::kWords; ++i)
      record->cpus[i].store(needs.cpus.words[i], std::memory_order_relaxed);
    return record;
  }

  TurnRecord* claim(TurnPage& page, std::uint64_t now_ns) const {
    for (TurnRecord& record : page.records) {
      std::uint64_t owner = record.owner.load(std::memory_order_relaxed);
      const std::uint64_t until_ns = record.live_until_ns.load(std::memory_order_relaxed);
      if (owner != 0 && !is_abandoned(until_ns, now_ns)) continue;
      if (record.owner.compare_exchange_strong(owner, sources_.id, std::memory_order_relaxed))
        return &record;
    }
    return nullptr;
  }

  // Puts the members into the ring; returns this process's place in it.
  unsigned read_members(const TurnPage& page, const TurnNeeds& needs, std::uint64_t now_ns) {
    ring_.clear();
    const TurnRecord* const mine = record_.load(std::memory_order_relaxed);
    unsigned me = ~0U;
    for (const TurnRecord& record : page.records) {
      if (&record == mine) {
        if (ring_.add(needs.wants, needs.cpus, true)) me = ring_.count() - 1;
        continue;
      }
      if (record.owner.load(std::memory_order_relaxed) == 0) continue;
      const std::uint64_t until_ns = record.live_until_ns.load(std::memory_order_relaxed);
      if (is_abandoned(until_ns, now_ns)) continue;
      CpuSet cpus;
      for (unsigned i = 0; i < CpuSet::kWords; ++i)
        cpus.words[i] = record.cpus[i].load(std::memory_order_relaxed);
      ring_.add(record.wants.load(std::memory_order_relaxed), cpus, is_live(until_ns, now_ns));
    }
    return me;
  }

  // Read at every barrier while in force.
  std::atomic<bool> in_force_{false};
  std::atomic<bool> joined_{false};
  std::atomic<std::uint64_t> decision_{0};
  std::atomic<std::uint64_t> seen_ns_{0};        // the last arrival, within kBeatNs
  std::atomic<std::uint64_t> live_until_ns_{0};  // as the record should say
  std::atomic<std::uint64_t> last_contended_ns_{0};
  std::atomic<unsigned> first_home_{kNoHome};
  std::atomic<unsigned> homes_{0};
  std::atomic<std::uint64_t> home_cpus_[CpuSet::kWords]{};
  // From here on only the thread that decides. Others read the place of the record.
  std::atomic<bool> looking_{false};
  TurnPage* page_ = nullptr;
  bool is_refused_ = false;
  std::atomic<TurnRecord*> record_{nullptr};
  TurnSources sources_{};
  std::uint64_t last_on_ = 0;
  std::uint64_t last_crowded_ = 0;
  TurnRing ring_;
};

}  // namespace muster
