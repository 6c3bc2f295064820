// What libmuster.so puts under the fields of call sites and efficiencies.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "options/settings.h"
#include "preload/report/report.h"
#include "runtime-hooks/teams/call_sites.h"

namespace muster {
namespace {

// Where in which file a call is.
struct Place {
  LoadedObject object;
  char offset[32];
  const char* file;

  Place(std::uintptr_t address, const char* program) {
    object = object_of(reinterpret_cast<const void*>(address));
    std::snprintf(offset, sizeof(offset), "0x%" PRIxPTR,
                  address - (object.found() ? object.base : 0));
    // The loader does not keep the program's own path.
    file = !object.found() ? "?" : object.path[0] != '\0' ? object.path : program;
  }
};

// Of the time in which threads were not on a CPU, what was throttled and what was stolen, in thousandths.
struct LostTo {
  std::uint64_t throttled = 0;
  std::uint64_t stolen = 0;
};
LostTo lost_to(const SiteSums& sums, const LoadSnapshot& load) {
  std::uint64_t lost_ns = 0;
  for (unsigned i = 0; i < sums.count; ++i) {
    lost_ns += sums.sites[i].causes.lost_ns * sums.sites[i].threads;
  }
  LostTo parts;
  if (lost_ns == 0) return parts;
  const auto part = [&](std::uint64_t ns, std::uint64_t most) {
    return std::min(most, 1'000 * std::min(ns, lost_ns) / lost_ns);
  };
  if (load.has(LoadSource::kThrottling)) parts.throttled = part(load.throttled_ns, 1'000);
  if (load.has(LoadSource::kStolen)) parts.stolen = part(load.stolen_ns, 1'000 - parts.throttled);
  return parts;
}

// Samples stand for more or fewer instances than there were, as their distance changes. How many there were is known;
// of barriers, so is the sum of the waits.
CauseTimes corrected(const SiteSum& site) {
  const Ratio each{site.count(), site.causes.sampled};
  CauseTimes causes = site.causes;
  for (std::uint64_t* ns : {&causes.imbalance_ns, &causes.lost_ns, &causes.waking_ns})
    *ns = each.of(*ns);
  const std::uint64_t explained_ns = causes.imbalance_ns + causes.lost_ns;
  if (site.is_region || explained_ns <= site.gain_ns()) return causes;
  const Ratio most{site.gain_ns(), explained_ns};
  causes.imbalance_ns = most.of(causes.imbalance_ns);
  causes.lost_ns = most.of(causes.lost_ns);
  return causes;
}

// What that makes of the barriers of a region, whose sums are not kept by barrier.
struct Correction {
  Ratio imbalance, lost, waking;

  explicit Correction(const SiteSums& sums) {
    CauseTimes before, after;
    for (unsigned i = 0; i < sums.count; ++i) {
      if (sums.sites[i].is_region) continue;
      before.add(sums.sites[i].causes);
      after.add(corrected(sums.sites[i]));
    }
    imbalance = {after.imbalance_ns, before.imbalance_ns};
    lost = {after.lost_ns, before.lost_ns};
    waking = {after.waking_ns, before.waking_ns};
  }

  // At the region's fork, join and barriers.
  CauseTimes of_region(const SiteSum& site) const {
    CauseTimes causes = corrected(site);
    causes.add({site.inside.sampled, imbalance.of(site.inside.imbalance_ns),
                lost.of(site.inside.lost_ns), waking.of(site.inside.waking_ns)});
    return causes;
  }
};

void put_site(const SiteSum& site, const LostTo& lost_to, const char* program, ReportWriter& out) {
  const Place place(site.caller, program);
  const CauseTimes causes = corrected(site);
  const std::uint64_t gain_ns = site.is_region ? causes.all_ns() : site.gain_ns();
  out.put("call_site.kind", site.is_region ? "region" : "barrier");
  out.put("call_site.symbol", site.symbol);
  out.put("call_site.object", place.file);
  out.put("call_site.offset", place.offset);
  out.put("call_site.count", site.count());
  out.put("call_site.threads", site.threads);
  const auto if_known = [&](std::uint64_t ns) {
    return site.has_known_waits() ? Value(ns) : Value(nullptr);
  };
  const auto if_region = [&](std::uint64_t number) {
    return site.is_region ? Value(number) : Value(nullptr);
  };
  out.put("call_site.unfolded", if_region(site.unfolded));
  out.put("call_site.elapsed_ns", if_region(site.elapsed_ns + site.unfolded_ns));
  out.put("call_site.waited_ns",
          if_known(site.is_region ? gain_ns * site.threads : site.waited_ns));
  out.put("call_site.gain_ns", if_known(gain_ns));
  // Of barriers, all waits are known; what the samples do not explain is waiting and waking.
  const std::uint64_t throttled_ns = causes.lost_ns * lost_to.throttled / 1'000;
  const std::uint64_t stolen_ns = causes.lost_ns * lost_to.stolen / 1'000;
  const auto if_sampled = [&](std::uint64_t ns) {
    return causes.sampled != 0 ? Value(ns) : Value(nullptr);
  };
  out.put("call_site.gain_imbalance_ns", if_sampled(causes.imbalance_ns));
  out.put("call_site.gain_preempted_ns", if_sampled(causes.lost_ns - throttled_ns - stolen_ns));
  out.put("call_site.gain_throttled_ns", if_sampled(throttled_ns));
  out.put("call_site.gain_stolen_ns", if_sampled(stolen_ns));
  out.put("call_site.gain_waking_ns",
          if_sampled(gain_ns - std::min(gain_ns, causes.imbalance_ns + causes.lost_ns)));
  out.put("call_site.sampled", causes.sampled);
  out.write("call_site");
}

// TALP's definitions: the time of all threads is useful, or lost to serial parts, imbalance or scheduling. Here each is
// divided by the number of threads.
struct Efficiency {
  std::uint64_t useful_ns = 0;
  Ratio parallel, balance, scheduling, serialization;

  Efficiency(std::uint64_t elapsed_ns, std::uint64_t serial_ns, const CauseTimes& causes) {
    const std::uint64_t imbalance_ns = causes.imbalance_ns + causes.lost_ns;
    const std::uint64_t other_ns = serial_ns + imbalance_ns + causes.waking_ns;
    useful_ns = elapsed_ns - std::min(elapsed_ns, other_ns);
    const std::uint64_t whole_ns =
        useful_ns + other_ns;  // samples may stand for more than there was
    const std::uint64_t busy_ns = useful_ns + serial_ns;
    parallel = {useful_ns, whole_ns};
    balance = {busy_ns, busy_ns + imbalance_ns};
    scheduling = {busy_ns + imbalance_ns, whole_ns};
    serialization = {useful_ns, busy_ns};
  }
};

void put_region(const SiteSum& site, const Correction& correction, const char* program,
                ReportWriter& out) {
  const Place place(site.caller, program);
  const Efficiency its(site.elapsed_ns, 0, correction.of_region(site));
  out.put("region_efficiency.object", place.file);
  out.put("region_efficiency.offset", place.offset);
  out.put("region_efficiency.symbol", site.symbol);
  out.put("region_efficiency.numCpus", site.threads);
  out.put("region_efficiency.numOmpParallels", site.count());
  out.put("region_efficiency.elapsedTime", site.elapsed_ns);
  out.put("region_efficiency.usefulTime", its.useful_ns * site.threads);
  out.put("region_efficiency.parallelEfficiency", its.parallel);
  out.put("region_efficiency.ompLoadBalance", its.balance);
  out.put("region_efficiency.ompSchedulingEfficiency", its.scheduling);
  out.write("region_efficiency");
}

void put_efficiency(const ReportData& data, const SiteSums& sums, ReportWriter& out) {
  std::uint64_t threads = 0;
  std::uint64_t in_regions_ns = 0;
  const Correction correction(sums);
  CauseTimes causes;
  for (unsigned i = 0; i < sums.count; ++i) {
    const SiteSum& site = sums.sites[i];
    if (!site.is_region) continue;
    in_regions_ns += site.elapsed_ns;
    if (!site.is_nested) in_regions_ns += site.unfolded_ns;
    if (!site.has_known_waits()) continue;
    threads = std::max(threads, site.threads);
    causes.add(correction.of_region(site));
  }
  std::uint64_t unfolded = 0;
  for (const std::uint64_t each : data.folds->unfolded) unfolded += each;
  if (threads == 0 || 100 * unfolded > data.regions) return out.absent("efficiency");
  const std::uint64_t elapsed_ns = data.times.elapsed_ns;
  const std::uint64_t serial_ns = elapsed_ns - std::min(elapsed_ns, in_regions_ns);
  const Efficiency its(elapsed_ns, Ratio{threads - 1, threads}.of(serial_ns), causes);
  out.put("efficiency.numCpus", threads);
  out.put("efficiency.numOmpParallels", data.regions);
  out.put("efficiency.elapsedTime", elapsed_ns);
  out.put("efficiency.usefulTime", its.useful_ns * threads);
  out.put("efficiency.parallelEfficiency", its.parallel);
  out.put("efficiency.ompLoadBalance", its.balance);
  out.put("efficiency.ompSchedulingEfficiency", its.scheduling);
  out.put("efficiency.ompSerializationEfficiency", its.serialization);
  out.write("efficiency");
  for (unsigned i = 0; i < sums.count; ++i) {
    const SiteSum& site = sums.sites[i];
    if (site.is_region && site.has_known_waits()) put_region(site, correction, data.program, out);
  }
  out.end("region_efficiency");
}

}  // namespace

void put_call_sites(const ReportData& data, ReportWriter& out) {
  const SiteSums& sums = sum_sites();
  put_efficiency(data, sums, out);
  out.put("call_sites.recorded", settings().sites);
  out.put("call_sites.left_out", sums.left_out);
  out.write("call_sites");
  const LostTo parts = lost_to(sums, data.load);
  for (unsigned i = 0; i < sums.count; ++i) put_site(sums.sites[i], parts, data.program, out);
  out.end("call_site");
}

}  // namespace muster
