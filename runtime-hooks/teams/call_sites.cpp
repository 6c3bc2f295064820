#include "runtime-hooks/teams/call_sites.h"

#include <time.h>

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "platform/clock.h"
#include "platform/pages.h"
#include "runtime-hooks/teams/team.h"

namespace muster {
namespace {

// What a sample takes: reading clocks (two of them by system calls), and for thread 0 a line of each thread.
constexpr std::uint64_t kSampleNs = 600;
constexpr std::uint64_t kStampReadNs = 60;
constexpr std::uint64_t kShare = 100;  // one in so much of the time
constexpr unsigned kMostShift = 12;
// After a wait as long as this, barriers may be far apart: samples are taken at once, until their distance is known.
constexpr std::uint64_t kLongWaitNs = 50'000;
// Two reads of the clock and their counting.
constexpr std::uint64_t kTimingNs = 60;

// Two clocks are not read at the same time; and being off the CPU for less is of no interest.
constexpr std::uint64_t kLeastLostNs = 5'000;

std::uint64_t less(std::uint64_t from, std::uint64_t amount) {
  return from > amount ? from - amount : 0;
}

void adapt(Sampling& sampling, unsigned size, Episode episode, std::uint64_t now_ns) {
  if (sampling.last_episode != kNoEpisode && episode > sampling.last_episode) {
    const Episode instances = episode - sampling.last_episode;
    const std::uint64_t distance_ns = less(now_ns, sampling.last_ns) / instances;
    const std::uint64_t wanted_ns = kShare * (kSampleNs + kStampReadNs * size);
    unsigned shift = 0;
    while (shift < kMostShift && distance_ns << shift < wanted_ns) ++shift;
    sampling.shift.store(shift, std::memory_order_relaxed);
  }
  sampling.last_ns = now_ns;
  sampling.last_episode = episode;
}

// Returns 0 if this region is not timed.
std::uint64_t begin_if_timed(SiteCounts& site) {
  if (site.until_timed == 0) return monotonic_ns();
  --site.until_timed;
  return 0;
}

void end_timed(SiteCounts& site, std::uint64_t began_ns, Tally& elapsed_ns) {
  if (began_ns == 0) return;
  const std::uint64_t took_ns = less(monotonic_ns(), began_ns);
  elapsed_ns.add(site.timed_each * took_ns);
  const std::uint64_t regions = took_ns != 0 ? kShare * kTimingNs / took_ns : 0;
  site.timed_each = static_cast<unsigned>(std::min<std::uint64_t>(regions, 1'000) + 1);
  site.until_timed = site.timed_each - 1;
}

}  // namespace

SiteTable* new_site_table() {
  void* pages = map_pages(sizeof(SiteTable));
  return pages != nullptr ? ::new (pages) SiteTable() : nullptr;
}

void CauseTimes::add(const CauseTimes& more) {
  sampled += more.sampled;
  imbalance_ns += more.imbalance_ns;
  lost_ns += more.lost_ns;
  waking_ns += more.waking_ns;
}

void Causes::add(const CauseTimes& more) {
  sampled.add(more.sampled);
  imbalance_ns.add(more.imbalance_ns);
  lost_ns.add(more.lost_ns);
  waking_ns.add(more.waking_ns);
}

CauseTimes Causes::read() const {
  return {sampled.read(), imbalance_ns.read(), lost_ns.read(), waking_ns.read()};
}

void Causes::clear() {
  for (Tally* each : {&sampled, &imbalance_ns, &lost_ns, &waking_ns}) each->clear();
}

void SiteTable::clear() {
  for (SiteCounts& site : sites_) {
    for (Tally* each : {&site.arrivals, &site.threads, &site.waited_ns, &site.share_ns,
                        &site.elapsed_ns, &site.unfolded, &site.unfolded_ns}) {
      each->clear();
    }
    site.causes.clear();
    site.inside.clear();
  }
  left_out_.clear();
}

void phase_begins(Team& team, Member& me) {
  const unsigned shift = team.sampling().shift.load(std::memory_order_relaxed);
  const Episode next = me.episode + 1;
  if (!Sampling::takes(next, shift)) [[likely]]
    return;
  PhaseStamps& stamps = me.stamps;
  stamps.begun_for = next;
  stamps.shift = shift;
  stamps.began_ns = monotonic_ns();
  stamps.began_cpu_ns = thread_cpu_ns();
}

bool phase_ends(Member& me) {
  PhaseStamps& stamps = me.stamps;
  const Episode episode = me.episode + 1;
  if (stamps.begun_for != episode) return false;
  const std::uint64_t cpu_ns = less(thread_cpu_ns(), stamps.began_cpu_ns);
  const std::uint64_t now_ns = monotonic_ns();
  const std::uint64_t lost_ns = less(less(now_ns, stamps.began_ns), cpu_ns);
  ArrivalStamp& stamp = stamps.arrivals[episode % 2];
  stamp.began_ns.store(stamps.began_ns, std::memory_order_relaxed);
  stamp.arrived_ns.store(now_ns, std::memory_order_relaxed);
  stamp.lost_ns.store(lost_ns > kLeastLostNs ? lost_ns : 0, std::memory_order_relaxed);
  stamp.episode.store(episode, std::memory_order_relaxed);
  return true;
}

void sample(Team& team, Member& me, SiteTable& sites, SiteCounts& site) {
  const Episode episode = me.episode;
  const std::uint64_t now_ns = monotonic_ns();
  const unsigned size = team.size();
  std::uint64_t last_ns = 0;
  std::uint64_t last_began_ns = 0;
  std::uint64_t last_lost_ns = 0;
  std::uint64_t first_began_ns =
      sites.region_began_ns != 0 ? sites.region_began_ns : ~std::uint64_t{0};
  for (unsigned i = 0; i < size; ++i) {
    const ArrivalStamp& stamp = team.member(i).stamps.arrivals[episode % 2];
    // Threads may disagree about how many instances are drawn, while that changes.
    if (stamp.episode.load(std::memory_order_relaxed) != episode) return;
    const std::uint64_t began_ns = stamp.began_ns.load(std::memory_order_relaxed);
    const std::uint64_t arrived_ns = stamp.arrived_ns.load(std::memory_order_relaxed);
    first_began_ns = std::min(first_began_ns, began_ns);
    if (arrived_ns < last_ns) continue;
    last_ns = arrived_ns;
    last_began_ns = began_ns;
    last_lost_ns = stamp.lost_ns.load(std::memory_order_relaxed);
  }
  // The last thread is late because it was off the CPU, because it began late, or because of its work.
  const std::uint64_t began_late_ns = less(last_began_ns, first_began_ns);
  std::uint64_t imbalance_ns = 0;
  std::uint64_t lost_ns = 0;
  // A region ends when its primary thread leaves. How late threads leave a barrier shows when they begin the next phase.
  const bool is_region = site.is_region.load(std::memory_order_relaxed);
  std::uint64_t waking_ns = is_region ? size * less(now_ns, last_ns) : 0;
  for (unsigned i = 0; i < size; ++i) {
    const ArrivalStamp& stamp = team.member(i).stamps.arrivals[episode % 2];
    const std::uint64_t wait_ns = last_ns - stamp.arrived_ns.load(std::memory_order_relaxed);
    const std::uint64_t lost = std::min(wait_ns, last_lost_ns);
    const std::uint64_t waking = std::min(wait_ns - lost, began_late_ns);
    lost_ns += lost;
    waking_ns += waking + stamp.began_ns.load(std::memory_order_relaxed) - first_began_ns;
    imbalance_ns += wait_ns - lost - waking;
  }
  const std::uint64_t stands_for = std::uint64_t{1} << me.stamps.shift;
  const CauseTimes causes{stands_for, stands_for * (imbalance_ns / size),
                          stands_for * (lost_ns / size), stands_for * (waking_ns / size)};
  site.causes.add(causes);
  if (sites.region != nullptr && sites.region != &site) sites.region->inside.add(causes);
  adapt(team.sampling(), size, episode, now_ns);
}

void SiteVisit::leave(Team& team, unsigned thread, bool released) {
  const unsigned size = team.size();
  const std::uint64_t waited_ns = me_.stats.waited_ns.read() - waited_before_;
  Sampling& sampling = team.sampling();
  if (site_ != nullptr && released) {
    site_->arrivals.add();
    site_->threads.raise_to(size);
    if (waited_ns != 0) {
      site_->waited_ns.add(waited_ns);
      site_->share_ns.add(waited_ns / size);
    }
    if (sampled_ && thread == 0) sample(team, me_, sites_, *site_);
  }
  if (waited_ns > kLongWaitNs && sampling.shift.load(std::memory_order_relaxed) != 0) {
    sampling.shift.store(0, std::memory_order_relaxed);
  }
  sites_.region_began_ns = 0;
  phase_begins(team, me_);
}

void RegionSite::begin(const void* caller, const char* symbol) {
  site_ = sites_->find(caller, symbol);
  sites_->region = site_;
  if (site_ == nullptr) return;
  began_ns_ = begin_if_timed(*site_);
  sites_->region_began_ns = began_ns_;
}

void RegionSite::end(Team& team, Member& me, bool sampled) {
  sites_->region = nullptr;
  if (site_ == nullptr) return;
  site_->is_region.store(true, std::memory_order_relaxed);
  site_->arrivals.add();
  site_->threads.raise_to(team.size());
  if (sampled) sample(team, me, *sites_, *site_);
  sites_->region_began_ns = 0;
  end_timed(*site_, began_ns_, site_->elapsed_ns);
}

void UnfoldedSite::begin_at(SiteTable& sites, CallSite place, bool is_nested) {
  site_ = sites.find(place.caller, place.symbol);
  if (site_ == nullptr) return;
  site_->is_region.store(true, std::memory_order_relaxed);
  if (is_nested) site_->is_nested.store(true, std::memory_order_relaxed);
  sites_ = &sites;
  outer_ = std::exchange(sites.region, nullptr);
  outer_began_ns_ = std::exchange(sites.region_began_ns, 0);
  sites.wanted_size = &size_;
  began_ns_ = begin_if_timed(*site_);
}

void UnfoldedSite::end_at() {
  site_->arrivals.add();
  site_->unfolded.add();
  site_->threads.raise_to(size_);
  end_timed(*site_, began_ns_, site_->unfolded_ns);
  sites_->wanted_size = nullptr;
  sites_->region = outer_;
  sites_->region_began_ns = outer_began_ns_;
}

const SiteSums& sum_sites() {
  static SiteSums sums;
  sums.count = 0;
  sums.left_out = 0;
  const auto row_of = [](std::uintptr_t caller) -> SiteSum* {
    for (unsigned i = 0; i < sums.count; ++i) {
      if (sums.sites[i].caller == caller) return &sums.sites[i];
    }
    if (sums.count == kCallSites) return nullptr;
    SiteSum& added = sums.sites[sums.count++];
    added = SiteSum();
    added.caller = caller;
    return &added;
  };
  for (const ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    const SiteTable* table = state->sites;
    if (table == nullptr) continue;
    sums.left_out += table->left_out();
    for (unsigned i = 0; i < kCallSites; ++i) {
      const SiteCounts& site = table->site(i);
      const std::uintptr_t caller = site.caller.load(std::memory_order_acquire);
      if (caller == 0 || site.arrivals.read() == 0) continue;
      SiteSum* sum = row_of(caller);
      if (sum == nullptr) {
        sums.left_out += site.arrivals.read();
        continue;
      }
      sum->symbol = site.symbol.load(std::memory_order_relaxed);
      sum->is_region = site.is_region.load(std::memory_order_relaxed);
      sum->arrivals += site.arrivals.read();
      sum->threads = std::max(sum->threads, site.threads.read());
      sum->waited_ns += site.waited_ns.read();
      sum->share_ns += site.share_ns.read();
      sum->elapsed_ns += site.elapsed_ns.read();
      sum->unfolded += site.unfolded.read();
      sum->unfolded_ns += site.unfolded_ns.read();
      sum->is_nested |= site.is_nested.load(std::memory_order_relaxed);
      sum->causes.add(site.causes.read());
      sum->inside.add(site.inside.read());
    }
  }
  std::sort(sums.sites, sums.sites + sums.count, [](const SiteSum& left, const SiteSum& right) {
    return std::tuple(right.gain_ns(), right.unfolded_ns, left.caller) <
           std::tuple(left.gain_ns(), left.unfolded_ns, right.caller);
  });
  return sums;
}

}  // namespace muster
