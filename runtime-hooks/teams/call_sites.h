// What each place of the program that calls a barrier or begins a region costs (MUSTER_SITES=on), by return address. Of
// regions that the runtime forks and joins, only how many there are and how long they take.
//
// Each thread counts in a table of its own: no lock, nothing shared, and no memory is requested at a barrier, since the
// table is made with the thread's state. Arrivals and waits are counted at every barrier; how long a wait was is known
// anyway once it goes beyond the quick polls. Why threads waited is sampled: at an instance that is drawn from its
// episode, each thread stamps its arrival (phase_stamps.h), and thread 0 reads the stamps after it. How many instances
// are drawn follows from their distance, so that stamps cost about 1 % of the time.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/cache_line.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/thunk_banks.h"
#include "runtime-hooks/teams/team_instances.h"
#include "runtime-hooks/teams/thread_state.h"
#include "waiting/wait_stats.h"

namespace muster {

class Team;

// A place in the program that the report may name.
struct CallSite {
  const char* symbol;
  const void* caller;
};

// What sampled instances cost in elapsed time, each as often as it stands for others.
struct CauseTimes {
  std::uint64_t sampled = 0;       // instances
  std::uint64_t imbalance_ns = 0;  // the last thread had more work
  std::uint64_t lost_ns = 0;       // the last thread was not on a CPU
  std::uint64_t waking_ns = 0;     // the last thread began late, or left late

  std::uint64_t all_ns() const { return imbalance_ns + lost_ns + waking_ns; }
  void add(const CauseTimes& more);
};

// The same, counted by thread 0.
struct Causes {
  Tally sampled, imbalance_ns, lost_ns, waking_ns;

  void add(const CauseTimes& more);
  CauseTimes read() const;
  void clear();
};

struct alignas(kCoherenceGranule) SiteCounts {
  std::atomic<std::uintptr_t> caller{0};  // 0: unused
  std::atomic<const char*> symbol{nullptr};
  Tally arrivals;
  Tally threads;    // of the largest team
  Tally waited_ns;  // this thread, beyond the quick polls
  Tally share_ns;   // the same over the team's size: elapsed time
  Causes causes;
  Causes inside;     // of regions: at their barriers
  Tally elapsed_ns;  // of folded regions
  Tally unfolded;    // regions
  Tally unfolded_ns;
  std::atomic<bool> is_region{false};
  std::atomic<bool> is_nested{false};  // an unfolded region inside another one
  unsigned timed_each = 1;             // one region in so many is timed
  unsigned until_timed = 0;            // regions
};

inline constexpr unsigned kCallSites = 512;

class SiteTable {
 public:
  // Null if the table is full.
  SiteCounts* find(const void* caller, const char* symbol) {
    const auto key = reinterpret_cast<std::uintptr_t>(return_address_of(caller));
    const auto first = static_cast<unsigned>((key * 0x9e37'79b9'7f4a'7c15U) >> 55);
    for (unsigned probe = 0; probe < kProbes; ++probe) {
      SiteCounts& site = sites_[(first + probe) % kCallSites];
      const std::uintptr_t its = site.caller.load(std::memory_order_relaxed);
      if (its == key) [[likely]]
        return &site;
      if (its != 0) continue;
      site.symbol.store(symbol, std::memory_order_relaxed);
      site.caller.store(key, std::memory_order_release);
      return &site;
    }
    left_out_.add();
    return nullptr;
  }

  // Of the region in which this thread is: null in none, or if it is not folded.
  SiteCounts* region = nullptr;
  std::uint64_t region_began_ns = 0;  // until the first barrier inside; 0: not timed
  // Where this thread stores the size of the team that it forks next, when it is in it. May be null.
  unsigned* wanted_size = nullptr;

  const SiteCounts& site(unsigned i) const { return sites_[i]; }
  std::uint64_t left_out() const { return left_out_.read(); }
  void clear();

 private:
  static constexpr unsigned kProbes = 16;
  SiteCounts sites_[kCallSites];
  Tally left_out_;  // arrivals
};

// The place of a call that returns to `caller`. A call at the very end of a region's function may be a jump, which
// returns to Muster: its place is that function. As a return address it is behind its first byte.
inline const void* place_of(const void* caller, const Frame& frame) {
  caller = return_address_of(caller);
  if (!in_muster(caller) || frame.function == nullptr) return caller;
  return static_cast<const char*>(frame.function) + 1;
}

// The same of a fork, where `frame` is the enclosing region's or null.
inline CallSite place_of(CallSite site, const Frame* frame) {
  return {site.symbol,
          frame != nullptr ? place_of(site.caller, *frame) : return_address_of(site.caller)};
}

// Null without memory. For a thread's state.
SiteTable* new_site_table();

// The thread begins to work towards its next barrier: stamps that if the barrier is drawn.
void phase_begins(Team& team, Member& me);
// It has arrived there. Returns whether the instance is sampled.
bool phase_ends(Member& me);
// Thread 0, after the instance and before the next: why the others waited there.
void sample(Team& team, Member& me, SiteTable& sites, SiteCounts& site);

// One barrier: made before the thread arrives.
class SiteVisit {
 public:
  SiteVisit(SiteTable& sites, const void* caller, const char* symbol, Member& me)
      : sites_(sites),
        site_(sites.find(caller, symbol)),
        me_(me),
        waited_before_(me.stats.waited_ns.read()) {
    if (me.stamps.begun_for == me.episode + 1) [[unlikely]]
      sampled_ = phase_ends(me);
  }
  void leave(Team& team, unsigned thread, bool released);

 private:
  SiteTable& sites_;
  SiteCounts* const site_;
  Member& me_;
  const std::uint64_t waited_before_;
  bool sampled_ = false;
};

// One folded region, for its primary thread.
class RegionSite {
 public:
  RegionSite(SiteTable* sites, const void* caller, const char* symbol) : sites_(sites) {
    if (sites != nullptr) [[unlikely]]
      begin(caller, symbol);
  }
  // After the join. `sampled`: phase_ends() before it.
  void end(Team& team, Member& me, bool sampled);

 private:
  void begin(const void* caller, const char* symbol);

  SiteTable* const sites_;
  SiteCounts* site_ = nullptr;
  std::uint64_t began_ns_ = 0;  // 0: not timed
};

// One region that the runtime forks and joins, for the thread that does.
class UnfoldedSite {
 public:
  // With a null table, nothing happens.
  void begin(SiteTable* sites, CallSite place, bool is_nested) {
    if (sites != nullptr && place.caller != nullptr) [[unlikely]]
      begin_at(*sites, place, is_nested);
  }
  void end() {
    if (site_ != nullptr) [[unlikely]]
      end_at();
  }

 private:
  void begin_at(SiteTable& sites, CallSite place, bool is_nested);
  void end_at();

  SiteTable* sites_ = nullptr;
  SiteCounts* site_ = nullptr;
  SiteCounts* outer_ = nullptr;  // what the table had before
  std::uint64_t outer_began_ns_ = 0;
  std::uint64_t began_ns_ = 0;
  unsigned size_ = 0;
};

// For the report: a site over all threads.
struct SiteSum {
  std::uintptr_t caller = 0;
  const char* symbol = nullptr;
  std::uint64_t arrivals = 0;
  std::uint64_t threads = 0;
  std::uint64_t waited_ns = 0;
  std::uint64_t share_ns = 0;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t unfolded = 0;
  std::uint64_t unfolded_ns = 0;
  CauseTimes causes;
  CauseTimes inside;
  bool is_region = false;
  bool is_nested = false;

  // Counted once a team. Of a region, only the primary thread counts.
  std::uint64_t count() const { return is_region || threads == 0 ? arrivals : arrivals / threads; }
  // Elapsed time that the program could gain here. Of barriers every wait is known, of regions only what was sampled.
  bool has_known_waits() const { return !is_region || unfolded < arrivals; }
  std::uint64_t gain_ns() const { return is_region ? causes.all_ns() : share_ns; }
};

struct SiteSums {
  SiteSum sites[kCallSites];  // those that could gain most come first
  unsigned count = 0;
  std::uint64_t left_out = 0;
};
const SiteSums& sum_sites();

}  // namespace muster
