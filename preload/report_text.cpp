// The report for people.
#include <cinttypes>

#include "preload/report.h"
#include "preload/runtime_origin.h"

namespace muster {
namespace {

constexpr unsigned kBarWidth = 40;
constexpr unsigned kThreadsShown = 64;
constexpr unsigned kSitesShown = 8;

struct Readable {
  double value;
  const char* unit;
};

Readable readable(std::uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000) return {value, "ns"};
  if (ns < 1'000'000) return {value / 1e3, "us"};
  if (ns < 1'000'000'000) return {value / 1e6, "ms"};
  return {value / 1e9, "s"};
}

void add_costs(const Calibration& calibration, TextBuffer& out) {
  const char* before = "  costs              ";
  for (const NamedCost& named : kCosts) {
    const Cost& cost = calibration.*named.cost;
    const Readable shown = readable(cost.ns);
    out.add("%s%s %.2f %s (%s)", before, named.name, shown.value, shown.unit, name_of(cost.note));
    before = ", ";
  }
  out.add("\n");
}

void add_runtime(const Runtime& runtime, const RuntimeLine& line, TextBuffer& out) {
  out.add("  runtime            %s, %s", name_of(runtime.kind), line.path);
  if (line.package[0] != '\0') out.add(" (package %s)", line.package);
  if (runtime.replaced) {
    out.add(": barriers replaced, %" PRIu64 " arrivals\n", line.replaced);
  } else {
    out.add(": passed through, because of %s\n", name_of(runtime.reason));
  }
}

void add_unreached(const Unreached& unreached, TextBuffer& out) {
  char package[256];
  package_of(unreached.path, package, sizeof(package));
  out.add("  not reached        %s, %s", name_of(unreached.kind), unreached.path);
  if (package[0] != '\0') out.add(" (package %s)", package);
  switch (unreached.why) {
    case WhyUnreached::kNotCalled:
      out.add(": it is loaded, and nothing of it was called\n");
      break;
    case WhyUnreached::kBoundPast:
      out.add(": %s calls it past Muster (RTLD_DEEPBIND?)\n", unreached.object);
      break;
    case WhyUnreached::kOtherNamespace:
      out.add(": it is in a namespace of its own (dlmopen), without Muster\n");
      break;
    case WhyUnreached::kLinkedStatically:
      out.add(": it is linked in statically, so that its calls reach no loader\n");
      break;
  }
}

void add_head(const ReportData& data, TextBuffer& out) {
  out.add("muster %s report: %s (pid %ld, rank %ld, %s)\n", MUSTER_VERSION, data.program, data.pid,
          data.rank, data.host);
  out.add("  source of numbers  software: counted by Muster's own code\n");
  out.add("  settings           barrier %s, wait %s\n", data.barrier, data.wait);
  if (data.calibration != nullptr) add_costs(*data.calibration, out);
  for (unsigned i = 0; i < data.runtime_count; ++i) {
    add_runtime(*data.runtimes[i], data.runtime_lines[i], out);
  }
  if (data.runtime_count == 0) out.add("  runtime            nothing interposed\n");
  for (unsigned i = 0; i < data.unreached_count; ++i) add_unreached(data.unreached[i], out);
  out.add("  regions            %" PRIu64 ", largest team %u, team states %u\n", data.regions,
          data.totals->threads, data.teams);
}

void add_load(const LoadSnapshot& load, TextBuffer& out) {
  if (load.looks == 0) return;
  out.add("  load               %u CPUs allowed, ", load.allowed_cpus);
  if (load.quota_millicpus != 0) {
    out.add("quota %.2f CPUs, throttled %" PRIu64 " times", load.quota_millicpus / 1000.0,
            load.throttled_periods);
  } else {
    out.add("no quota%s", load.has(LoadSource::kQuota) ? "" : " seen");
  }
  if (load.has(LoadSource::kRunnable)) {
    out.add(", %u threads runnable at last", load.runnable);
  }
  if (load.most_runnable != 0) out.add(", %u at most", load.most_runnable);
  out.add(" (%" PRIu64 " look%s)\n", load.looks, load.looks == 1 ? "" : "s");
}

void add_missing(const MissingList& missing, TextBuffer& out) {
  const char* label = "missing";
  for (const MissingItem& item : missing) {
    out.add("  %-18s %s", label, item.what);
    label = "";
    if (item.error != nullptr && item.times > 0) {
      out.add(" (%s, %" PRIu64 " time%s)", item.error, item.times, item.times == 1 ? "" : "s");
    }
    out.add(": %s\n", item.effect);
  }
}

void add_barriers(const ReportData& data, TextBuffer& out) {
  out.add("  barriers           %" PRIu64 " arrivals replaced (%" PRIu64 " barriers), %" PRIu64
          " passed through\n",
          data.total_replaced, data.totals->by_thread[0].barriers.read(), data.total_passed);
  for (unsigned i = 0; i < kEntries; ++i) {
    if (data.replaced[i] + data.passed[i] == 0) continue;
    out.add("    %-28s %14" PRIu64 " replaced %14" PRIu64 " passed through\n", kEntryNames[i],
            data.replaced[i], data.passed[i]);
  }
  for (unsigned i = 0; i < data.totals->use_count; ++i) {
    const AlgorithmUse& use = data.totals->uses[i];
    if (use.replaced.read() == 0) continue;
    out.add("    on %-19s x %4u %14" PRIu64 " replaced\n", name_of(use.kind), use.team_size,
            use.replaced.read());
  }
  for (unsigned i = 0; i < kPassReasons; ++i) {
    if (data.reasons[i] == 0) continue;
    out.add("    passed: %-20s %14" PRIu64 "\n", kPassReasonNames[i], data.reasons[i]);
  }
}

void add_runtime_yields(const ReportData& data, TextBuffer& out) {
  const YieldCounts& yields = data.yields;
  out.add("  runtime's yields   %" PRIu64 " seen (%s): %" PRIu64 " passed, %" PRIu64
          " skipped, %" PRIu64 " naps, %" PRIu64 " long\n",
          yields.seen(), data.yield, yields.passed.read(), yields.skipped.read(),
          yields.naps.read(), yields.long_yields.read());
}

void add_fork_join(const ReportData& data, TextBuffer& out) {
  const ForkJoinReport& fork_join = data.fork_join;
  const FoldCounts& counts = *fork_join.counts;
  out.add("  fork and join      %s: %" PRIu64 " regions folded, %" PRIu64 " not; %" PRIu64
          " folds opened, %" PRIu64 " closed\n",
          fork_join.setting, counts.folded, fork_join.unfolded, counts.opened, fork_join.closed);
  for (unsigned i = 0; i < kUnfoldedReasons; ++i) {
    if (counts.unfolded[i] == 0) continue;
    out.add("    not folded: %-24s %14" PRIu64 "\n", kUnfoldedNames[i], counts.unfolded[i]);
  }
  for (unsigned i = 0; i < kClosedReasons; ++i) {
    if (counts.closed[i] == 0) continue;
    out.add("    closed: %-28s %14" PRIu64 "\n", kClosedNames[i], counts.closed[i]);
  }
  for (unsigned i = 0; i < counts.site_count && i < kSitesShown; ++i) {
    const FoldSite& site = counts.sites[i];
    const CodePlace place = place_of(site.caller, data.program);
    out.add("    %s at %s+0x%" PRIxPTR " (%s), %s: %" PRIu64 "\n",
            site.closed ? "closed" : "not folded", place.object_name(), place.offset, site.symbol,
            site.reason, site.count);
  }
  if (counts.site_count > kSitesShown) {
    out.add("    ... %u more places: use a .json or .csv report\n",
            counts.site_count - kSitesShown);
  }
}

void add_histogram(const WaitStats& waiting, TextBuffer& out) {
  std::uint64_t most = 1;
  for (const Tally& bucket : waiting.histogram) {
    if (bucket.read() > most) most = bucket.read();
  }
  out.add("  wait times         (released within the first quick polls: no clock was read)\n");
  for (unsigned b = 0; b < kWaitBuckets; ++b) {
    const std::uint64_t count = waiting.histogram[b].read();
    if (count == 0) continue;
    if (b == 0) {
      out.add("    quick       ");
    } else {
      const bool last = b == kWaitBuckets - 1;
      const Readable bound = readable(wait_bucket_below_ns(last ? b - 1 : b));
      out.add("    %s %6.1f %-2s ", last ? ">" : "<", bound.value, bound.unit);
    }
    out.add("%14" PRIu64 " ", count);
    const auto width =
        static_cast<unsigned>(kBarWidth * static_cast<double>(count) / static_cast<double>(most));
    for (unsigned i = 0; i < width; ++i) out.add("#");
    out.add("\n");
  }
}

// SSR, and the same by team size.
void add_spin_rates(const ReportData& data, TextBuffer& out) {
  const std::uint64_t waits = data.waiting.waits();
  const std::uint64_t succeeded = data.waiting.spins_succeeded.read();
  out.add("  SSR                ");
  if (waits == 0) {
    out.add("nobody waited\n");
    return;
  }
  out.add("%.2f %% with %s: %" PRIu64 " of %" PRIu64
          " waits ended by spinning, last arriver excluded\n",
          100 * spin_rate(succeeded, waits), data.wait, succeeded, waits);
  for (unsigned size = 2; size <= data.totals->threads; ++size) {
    const SizeUse& use = data.totals->by_size[size];
    if (use.waits.read() == 0) continue;
    out.add("    teams of %4u      %6.2f %% of %14" PRIu64 " waits, %" PRIu64 " blocks\n", size,
            100 * spin_rate(use.spins_succeeded.read(), use.waits.read()), use.waits.read(),
            use.blocks.read());
  }
  out.add("    (%s)\n", kSpinRateReminder);
}

void add_waiting(const ReportData& data, TextBuffer& out) {
  const WaitStats& waiting = data.waiting;
  add_spin_rates(data, out);
  out.add("  waiting            %" PRIu64 " blocks, %" PRIu64 " wake-ups, %" PRIu64
          " wake calls, %" PRIu64 " yields, %" PRIu64 " failed updates\n",
          waiting.blocks.read(), waiting.wakeups.read(), waiting.wake_calls.read(),
          waiting.yields.read(), waiting.failed_updates.read());
  out.add("  teammates, CPUs    %" PRIu64 " gave way, %" PRIu64 " long yields, %" PRIu64
          " gatherings, %" PRIu64 " moves, %" PRIu64 " nudges, %" PRIu64 " short slices\n",
          waiting.gave_way.read(), waiting.long_yields.read(), waiting.gatherings.read(),
          waiting.moves.read(), waiting.nudges.read(), waiting.short_slices.read());
  add_histogram(waiting, out);
}

void add_threads(const ReportData& data, TextBuffer& out) {
  if (data.totals->threads == 0) return;
  out.add("  threads            (imbalance: its share of the waiting over an equal share)\n");
  out.add("    thread       barriers   arrived last         waited        longest  imbalance\n");
  for (unsigned i = 0; i < data.totals->threads && i < kThreadsShown; ++i) {
    const WaitStats& stats = data.totals->by_thread[i];
    const Readable waited = readable(stats.waited_ns.read());
    const Readable longest = readable(stats.longest_wait_ns.read());
    out.add("    %6u %14" PRIu64 " %14" PRIu64 " %11.2f %-2s %11.2f %-2s", i, stats.barriers.read(),
            stats.arrived_last.read(), waited.value, waited.unit, longest.value, longest.unit);
    const double share = wait_share(data, i);
    if (share < 0) {
      out.add("          -\n");
    } else {
      out.add(" %10.2f\n", share);
    }
  }
  if (data.totals->threads > kThreadsShown) {
    out.add("    ... %u more: use a .json or .csv report\n", data.totals->threads - kThreadsShown);
  }
}

}  // namespace

void write_text(const ReportData& data, TextBuffer& out) {
  add_head(data, out);
  add_load(data.load, out);
  add_missing(data.missing, out);
  add_barriers(data, out);
  add_runtime_yields(data, out);
  add_fork_join(data, out);
  write_counters_text(data.counters, out);
  if (data.total_replaced == 0) return;
  add_waiting(data, out);
  add_threads(data, out);
}

}  // namespace muster
