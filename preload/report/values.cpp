// What libmuster.so puts under the fields of fields.h.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "muster_commit.h"
#include "options/settings.h"
#include "preload/report/report.h"
#include "preload/runtime_origin.h"
#include "runtime-hooks/runtimes/ompt_tool.h"
#include "runtime-hooks/runtimes/spin_count.h"
#include "runtime-hooks/runtimes/thunk_banks.h"

namespace muster {
namespace {

const char* in_force(Setting setting) { return text_in_force(option_of(setting)); }

void put_process(const ReportData& data, ReportWriter& out) {
  DateText started, ended;
  out.put("process.muster", MUSTER_VERSION);
  out.put("process.commit", MUSTER_COMMIT);
  out.put("process.format", kReportFormat);
  out.put("process.host", data.host);
  out.put("process.pid", data.pid);
  out.put("process.rank", data.rank);
  out.put("process.program", data.program);
  out.put("process.started", date_of(data.times.started, started));
  out.put("process.ended", date_of(data.times.ended, ended));
  out.put("process.elapsed_ns", data.times.elapsed_ns);
  out.put("process.cpu_ns", data.times.user_ns + data.times.system_ns);
  out.put("process.user_ns", data.times.user_ns);
  out.put("process.system_ns", data.times.system_ns);
  out.put("process.active", data.active);
  out.put("process.inactive_reason", data.inactive_reason);
  out.put("process.openblas", data.openblas);
  out.put("process.regions", data.regions);
  out.put("process.calls_looked_up", g_calls_looked_up.load(std::memory_order_relaxed));
  out.put("process.largest_team", data.largest_team);
  out.put("process.teams", data.teams);
  out.write("process");
  for (std::size_t at = 0; at < data.arguments_size; at += std::strlen(data.arguments + at) + 1) {
    out.put("argument.", Value::of(data.arguments + at));
    out.write("argument");
  }
  out.end("argument");
}

void put_settings(ReportWriter& out) {
  constexpr FieldId kFirst = "setting.MUSTER";
  for (unsigned i = 0; i < std::size(kOptions); ++i) {
    out.put(FieldId(kFirst.index + i), text_in_force(kOptions[i]));
  }
  out.write("setting");
}

void put_costs(const Calibration* calibration, ReportWriter& out) {
  const auto ns = [&](const Cost Calibration::* cost) {
    return calibration != nullptr ? Value((calibration->*cost).ns) : Value(nullptr);
  };
  out.put("cost.context_switch_ns", ns(&Calibration::context_switch));
  out.put("cost.wake_ns", ns(&Calibration::wake));
  out.put("cost.wake_call_ns", ns(&Calibration::wake_call));
  out.write("cost");
  const auto note = [&](const Cost Calibration::* cost) {
    return calibration != nullptr ? name_of((calibration->*cost).note) : nullptr;
  };
  out.put("cost_note.context_switch", note(&Calibration::context_switch));
  out.put("cost_note.wake", note(&Calibration::wake));
  out.put("cost_note.wake_call", note(&Calibration::wake_call));
  out.write("cost_note");
}

// What comes from a source that cannot be read is null, never 0.
Value known(bool known, std::uint64_t value) { return known ? Value(value) : Value(nullptr); }

// An OMPT tool observes one runtime of a process at most.
void put_tool(const Runtime& runtime, ReportWriter& out) {
  const char* tool = runtime.observed && runtime.replaced ? tool_path() : nullptr;
  out.put("runtime.tool", tool != nullptr && tool[0] == '\0' ? "the program" : tool);
  const int event = runtime.reason == PassReason::kTool ? tool_event_not_served() : 0;
  out.put("runtime.tool_event", event != 0 ? Value(event) : Value(nullptr));
}

void put_runtimes(const ReportData& data, ReportWriter& out) {
  for (unsigned i = 0; i < data.runtime_count; ++i) {
    const Runtime& runtime = *data.runtimes[i];
    const RuntimeLine& line = data.runtime_lines[i];
    out.put("runtime.kind", name_of(runtime.kind));
    out.put("runtime.path", line.path);
    out.put("runtime.package", line.package);
    out.put("runtime.replaced", runtime.replaced);
    out.put("runtime.reason", runtime.replaced ? nullptr : name_of(runtime.reason));
    put_tool(runtime, out);
    out.put("runtime.spins", known(runtime.shortened_spins != nullptr, kShortSpins));
    out.put("runtime.arrivals_replaced", line.replaced);
    out.write("runtime");
  }
  out.end("runtime");
  for (unsigned i = 0; i < data.unreached_count; ++i) {
    const Unreached& unreached = data.unreached[i];
    char package[256];
    package_of(unreached.path, package, sizeof(package));
    out.put("unreached.kind", name_of(unreached.kind));
    out.put("unreached.path", unreached.path);
    out.put("unreached.package", package);
    out.put("unreached.why", name_of(unreached.why));
    out.put("unreached.caller", unreached.object);
    out.write("unreached");
  }
  out.end("unreached");
}

void put_load(const LoadSnapshot& load, ReportWriter& out) {
  const bool seen = load.looks != 0;
  const bool throttling = seen && load.has(LoadSource::kThrottling);
  out.put("load.looks", load.looks);
  out.put("load.allowed_cpus", known(seen, load.allowed_cpus));
  out.put("load.quota_millicpus", known(load.quota_millicpus != 0, load.quota_millicpus));
  out.put("load.runnable", known(seen && load.has(LoadSource::kRunnable), load.runnable));
  out.put("load.most_runnable", known(load.most_runnable != 0, load.most_runnable));
  out.put("load.throttled_periods", known(throttling, load.throttled_periods));
  out.put("load.throttled_ns", known(throttling, load.throttled_ns));
  out.put("load.throttled_before", known(throttling, load.throttled_before));
  // The text has it only where there is some.
  const bool stolen =
      seen && load.has(LoadSource::kStolen) && (load.stolen_ns != 0 || !out.leaves_out_zeros());
  out.put("load.stolen_ms", known(stolen, load.stolen_ns / 1'000'000));
  out.put("load.stolen_before_ms", known(stolen, load.stolen_before_ns / 1'000'000));
  out.put("load.stolen_gaps", known(stolen, load.stolen_gaps));
  out.put("load.stalled_us", known(seen && load.has(LoadSource::kPressure), load.stalled_us));
  out.write("load");
  for (const LoadSourceName& source : kLoadSourceNames) {
    if (load.has(source.source)) continue;
    out.put("load_source.", source.name);
    out.write("load_source");
  }
  out.end("load_source");
}

void put_missing(const MissingList& missing, ReportWriter& out) {
  for (const MissingItem& item : missing) {
    out.put("missing.what", item.what);
    out.put("missing.error", item.error);
    out.put("missing.times", known(item.times != 0, item.times));
    out.put("missing.effect", item.effect);
    out.write("missing");
  }
  out.end("missing");
}

void put_barriers(const ReportData& data, ReportWriter& out) {
  out.put("barrier.replaced", data.total_replaced);
  out.put("barrier.passed_through", data.total_passed);
  out.put("barrier.instances_replaced", data.totals->by_thread[0].barriers.read());
  out.write("barrier");
  for (unsigned i = 0; i < kEntries; ++i) {
    if (data.replaced[i] + data.passed[i] == 0 && !out.lists_zeros()) continue;
    out.put("entry.entry", kEntryNames[i]);
    out.put("entry.replaced", data.replaced[i]);
    out.put("entry.passed_through", data.passed[i]);
    out.write("entry");
  }
  out.end("entry");
  for (unsigned i = 0; i < data.totals->use_count; ++i) {
    const AlgorithmUse& use = data.totals->uses[i];
    if (use.replaced.read() == 0 && !out.lists_zeros()) continue;
    out.put("algorithm.algorithm", name_of(use.kind));
    out.put("algorithm.wait", in_force(Setting::wait));
    out.put("algorithm.team_size", use.team_size);
    out.put("algorithm.replaced", use.replaced.read());
    out.put("algorithm.while_contended",
            known(settings().wait.kind == WaitKind::kAuto, use.while_contended.read()));
    out.write("algorithm");
  }
  out.end("algorithm");
  for (unsigned i = 0; i < kPassReasons; ++i) {
    if (data.reasons[i] == 0 && !out.lists_zeros()) continue;
    out.put("reason.reason", kPassReasonNames[i]);
    out.put("reason.count", data.reasons[i]);
    out.write("reason");
  }
  out.end("reason");
}

void put_yields(const ReportData& data, ReportWriter& out) {
  out.put("yield.setting", in_force(Setting::yield));
  out.put("yield.seen", data.yields.seen());
#define MUSTER_COUNTER(name) out.put("yield." #name, data.yields.name.read());
  MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  out.write("yield");
}

template <unsigned size>
void put_fold_reasons(const char* what, const char* const (&names)[size],
                      const std::uint64_t (&counts)[size], ReportWriter& out) {
  for (unsigned i = 0; i < size; ++i) {
    if (counts[i] == 0 && !out.lists_zeros()) continue;
    out.put("fold_reason.what", what);
    out.put("fold_reason.reason", names[i]);
    out.put("fold_reason.count", counts[i]);
    out.write("fold_reason");
  }
}

void put_site(const FoldSite& site, const char* program, ReportWriter& out) {
  const void* const caller = return_address_of(site.caller);
  const LoadedObject object = object_of(caller);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(caller);
  char offset[32];
  std::snprintf(offset, sizeof(offset), "0x%" PRIxPTR,
                address - (object.found() ? object.base : 0));
  out.put("site.what", site.closed ? "closed" : "unfolded");
  out.put("site.reason", site.reason);
  out.put("site.symbol", site.symbol);
  // The loader does not keep the program's own path.
  out.put("site.object", !object.found() ? "?" : object.path[0] != '\0' ? object.path : program);
  out.put("site.offset", offset);
  out.put("site.count", site.count);
  out.write("site");
}

void put_fork_join(const ReportData& data, ReportWriter& out) {
  const FoldCounts& counts = *data.folds;
  const auto sum = [](const auto& each) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : each) all += count;
    return all;
  };
  out.put("fork_join.setting", in_force(Setting::fork_join));
  out.put("fork_join.folded", counts.folded);
  out.put("fork_join.unfolded", sum(counts.unfolded));
  out.put("fork_join.opened", counts.opened);
  out.put("fork_join.closed", sum(counts.closed));
  out.write("fork_join");
  put_fold_reasons("unfolded", kUnfoldedNames, counts.unfolded, out);
  put_fold_reasons("closed", kClosedNames, counts.closed, out);
  out.end("fold_reason");
  for (unsigned i = 0; i < counts.site_count; ++i) put_site(counts.sites[i], data.program, out);
  out.end("site");
}

void put_loops(const ReportData& data, ReportWriter& out) {
  out.put("loops.computed", data.loops_computed);
  out.put("loops.passed_on", data.loops_passed);
  out.write("loops");
}

void put_counters(const CounterTotals& counters, ReportWriter& out) {
  if (!counters.asked) return out.absent("counters");
  out.put("counters.threads", counters.threads);
  out.put("counters.setting", counters.setting);
  out.put("counters.library", counters.library);
  out.put("counters.unavailable", counters.unavailable.text);
  out.write("counters");
  for (unsigned i = 0; i < counters.count; ++i) {
    const EventTotals& event = counters.events[i];
    out.put("event.name", event.name);
    out.put("event.waiting", known(event.counted, event.waiting));
    out.put("event.rest", known(event.counted, event.rest));
    out.put("event.source", name_of(event.source));
    out.put("event.multiplexed", event.multiplexed);
    out.put("event.reason", event.reason.text);
    out.write("event");
  }
  out.end("event");
}

// Null where nobody waited.
Value spin_rate(std::uint64_t spins_succeeded, std::uint64_t waits) {
  if (waits == 0) return nullptr;
  // A thread that still counts, in a program that ends inside a region, counts the spin before the wait.
  return Ratio{spins_succeeded < waits ? spins_succeeded : waits, waits};
}

void put_histogram(const WaitStats& waiting, ReportWriter& out) {
  constexpr char kBar[] = "########################################";
  constexpr std::uint64_t kWidth = sizeof(kBar) - 1;
  std::uint64_t most = 1;
  for (const Tally& bucket : waiting.histogram) {
    if (bucket.read() > most) most = bucket.read();
  }
  for (unsigned b = 0; b < kWaitBuckets; ++b) {
    const std::uint64_t count = waiting.histogram[b].read();
    const bool bounded = b != 0 && b != kWaitBuckets - 1;
    out.put("bucket.bucket", b == 0 ? "quick" : bounded ? "below_ns" : "longer");
    out.put("bucket.quick", b == 0);
    out.put("bucket.below_ns", bounded ? Value(wait_bucket_below_ns(b)) : Value(nullptr));
    out.put("bucket.count", count);
    out.put("bucket.bar", kBar + kWidth - Ratio{count, most}.of(kWidth));
    out.write("bucket");
  }
  out.end("bucket");
}

void put_waiting(const ReportData& data, ReportWriter& out) {
  const WaitStats& waiting = data.waiting;
  out.put("waiting.ssr", spin_rate(waiting.spins_succeeded.read(), waiting.waits()));
  out.put("waiting.wait", in_force(Setting::wait));
  out.put("waiting.waits", waiting.waits());
#define MUSTER_COUNTER(name) out.put("waiting." #name, waiting.name.read());
  MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  out.write("waiting");
  for (unsigned size = 2; size <= data.totals->threads; ++size) {
    const SizeUse& use = data.totals->by_size[size];
    if (use.arrivals.read() == 0 && use.waits.read() == 0) continue;
    out.put("team_size.team_size", size);
    out.put("team_size.wait", in_force(Setting::wait));
    out.put("team_size.arrivals", use.arrivals.read());
    out.put("team_size.arrived_last", use.arrived_last.read());
    out.put("team_size.waits", use.waits.read());
    out.put("team_size.spins_succeeded", use.spins_succeeded.read());
    out.put("team_size.blocks", use.blocks.read());
    out.put("team_size.ssr", spin_rate(use.spins_succeeded.read(), use.waits.read()));
    out.write("team_size");
  }
  out.end("team_size");
  put_histogram(waiting, out);
}

void put_threads(const ReportData& data, ReportWriter& out) {
  const std::uint64_t all_ns = data.waiting.waited_ns.read();
  for (unsigned i = 0; i < data.totals->threads; ++i) {
    const WaitStats& stats = data.totals->by_thread[i];
    const Ratio imbalance{stats.waited_ns.read() * data.totals->threads, all_ns};
    out.put("thread.thread", i);
    out.put("thread.barriers", stats.barriers.read());
    out.put("thread.arrived_last", stats.arrived_last.read());
    out.put("thread.waited_ns", stats.waited_ns.read());
    out.put("thread.longest_wait_ns", stats.longest_wait_ns.read());
    out.put("thread.imbalance", all_ns != 0 ? Value(imbalance) : Value(nullptr));
    out.write("thread");
  }
  out.end("thread");
}

}  // namespace

void write_report(const ReportData& data, Format format, TextBuffer& text) {
  ReportWriter out(format, text);
  put_process(data, out);
  put_settings(out);
  put_costs(data.calibration, out);
  put_runtimes(data, out);
  put_load(data.load, out);
  put_missing(data.missing, out);
  put_barriers(data, out);
  put_yields(data, out);
  put_fork_join(data, out);
  put_call_sites(data, out);
  put_loops(data, out);
  put_counters(data.counters, out);
  put_waiting(data, out);
  put_threads(data, out);
  out.finish();
}

}  // namespace muster
