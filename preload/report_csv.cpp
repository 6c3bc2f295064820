// The report as `section,name,detail,value` lines, for spreadsheets and scripts.
#include <cinttypes>
#include <cstdio>

#include "options/settings.h"
#include "preload/report.h"

namespace muster {
namespace {

// A quoted field: quotes doubled, as RFC 4180 has it.
void quoted(TextBuffer& out, const char* text) {
  out.add("\"");
  for (; *text != '\0'; ++text) out.add(*text == '"' ? "\"\"" : "%c", *text);
  out.add("\"");
}

void row(TextBuffer& out, const char* section, const char* name, const char* detail,
         std::uint64_t value) {
  out.add("%s,", section);
  quoted(out, name);
  out.add(",%s,%" PRIu64 "\n", detail, value);
}

void text_row(TextBuffer& out, const char* name, const char* value) {
  out.add("process,%s,,", name);
  quoted(out, value);
  out.add("\n");
}

// The detail is the runtime's number in the report.
void add_runtime(const Runtime& runtime, const RuntimeLine& line, unsigned number,
                 TextBuffer& out) {
  const struct {
    const char* name;
    const char* value;
  } texts[] = {{"path", line.path},
               {"kind", name_of(runtime.kind)},
               {"package", line.package},
               {"reason", runtime.replaced ? "" : name_of(runtime.reason)}};
  for (const auto& text : texts) {
    out.add("runtime,%s,%u,", text.name, number);
    quoted(out, text.value);
    out.add("\n");
  }
  out.add("runtime,replaced,%u,%d\n", number, runtime.replaced ? 1 : 0);
  out.add("runtime,arrivals_replaced,%u,%" PRIu64 "\n", number, line.replaced);
}

// Named by the policy, with the team size as the detail.
void add_spin_rates(const ReportData& data, TextBuffer& out) {
  for (unsigned size = 2; size <= data.totals->threads; ++size) {
    const SizeUse& use = data.totals->by_size[size];
    if (use.waits.read() == 0) continue;
    char detail[16];
    std::snprintf(detail, sizeof(detail), "%u", size);
    row(out, "waits", data.wait, detail, use.waits.read());
    row(out, "spins_succeeded", data.wait, detail, use.spins_succeeded.read());
    row(out, "blocks", data.wait, detail, use.blocks.read());
    out.add("ssr,\"%s\",%u,%.6f\n", data.wait, size,
            spin_rate(use.spins_succeeded.read(), use.waits.read()));
  }
}

void add_fork_join(const ReportData& data, TextBuffer& out) {
  const ForkJoinReport& fork_join = data.fork_join;
  const FoldCounts& counts = *fork_join.counts;
  row(out, "fork_join", "opened", "", counts.opened);
  row(out, "fork_join", "folded", "", counts.folded);
  row(out, "fork_join", "unfolded", "", fork_join.unfolded);
  row(out, "fork_join", "closed", "", fork_join.closed);
  for (unsigned i = 0; i < kUnfoldedReasons; ++i) {
    row(out, "fork_join_unfolded", kUnfoldedNames[i], "", counts.unfolded[i]);
  }
  for (unsigned i = 0; i < kClosedReasons; ++i) {
    row(out, "fork_join_closed", kClosedNames[i], "", counts.closed[i]);
  }
  for (unsigned i = 0; i < counts.site_count; ++i) {
    const FoldSite& site = counts.sites[i];
    const CodePlace place = place_of(site.caller, data.program);
    char name[1100];
    std::snprintf(name, sizeof(name), "%s+0x%" PRIxPTR " (%s)", place.object, place.offset,
                  site.symbol);
    char detail[100];
    std::snprintf(detail, sizeof(detail), "%s: %s", name_of_effect(site), site.reason);
    row(out, "fork_join_site", name, detail, site.count);
  }
}

}  // namespace

void write_csv(const ReportData& data, TextBuffer& out) {
  out.add("section,name,detail,value\n");
  text_row(out, "muster", MUSTER_VERSION);
  text_row(out, "host", data.host);
  text_row(out, "program", data.program);
  out.add("process,pid,,%ld\nprocess,rank,,%ld\n", data.pid, data.rank);
  row(out, "process", "active", "", data.active ? 1 : 0);
  if (!data.active) text_row(out, "inactive_reason", data.inactive_reason);
  for (const Option& option : kOptions) text_row(out, option.variable, text_in_force(option));
  row(out, "process", "regions", "", data.regions);
  row(out, "process", "teams", "", data.teams);
  for (unsigned i = 0; i < data.runtime_count; ++i) {
    add_runtime(*data.runtimes[i], data.runtime_lines[i], i, out);
  }
  for (unsigned i = 0; i < data.unreached_count; ++i) {
    const Unreached& unreached = data.unreached[i];
    out.add("unreached,%s,%u,", name_of(unreached.why), i);
    quoted(out, unreached.path);
    out.add("\n");
  }
  for (const NamedCost& named : kCosts) {
    if (data.calibration == nullptr) break;
    const Cost& cost = data.calibration->*named.cost;
    out.add("cost,%s_ns,%s,%" PRIu64 "\n", named.key, name_of(cost.note), cost.ns);
  }
  row(out, "load", "looks", "", data.load.looks);
  row(out, "load", "allowed_cpus", "", data.load.allowed_cpus);
  if (data.load.quota_millicpus != 0) {
    row(out, "load", "quota_millicpus", "", data.load.quota_millicpus);
  }
  if (data.load.has(LoadSource::kRunnable)) {
    row(out, "load", "runnable", "", data.load.runnable);
    row(out, "load", "most_runnable", "", data.load.most_runnable);
  }
  if (data.load.has(LoadSource::kThrottling)) {
    row(out, "load", "throttled_periods", "", data.load.throttled_periods);
  }
  for (const LoadSourceName& source : kLoadSourceNames) {
    if (!data.load.has(source.source)) row(out, "load", "unavailable", source.name, 1);
  }
  for (const MissingItem& item : data.missing) {
    row(out, "missing", item.what, item.error != nullptr ? item.error : "", item.times);
  }
  for (unsigned i = 0; i < kEntries; ++i) {
    row(out, "entry", kEntryNames[i], "replaced", data.replaced[i]);
    row(out, "entry", kEntryNames[i], "passed_through", data.passed[i]);
  }
  for (unsigned i = 0; i < kPassReasons; ++i) {
    row(out, "reason", kPassReasonNames[i], "", data.reasons[i]);
  }
  for (unsigned i = 0; i < data.totals->use_count; ++i) {
    const AlgorithmUse& use = data.totals->uses[i];
    out.add("algorithm,\"%s\",%u,%" PRIu64 "\n", name_of(use.kind), use.team_size,
            use.replaced.read());
  }
  add_spin_rates(data, out);
#define MUSTER_COUNTER(name) row(out, "waiting", #name, "", data.waiting.name.read());
  MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  row(out, "runtime_yields", "seen", "", data.yields.seen());
#define MUSTER_COUNTER(name) row(out, "runtime_yields", #name, "", data.yields.name.read());
  MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  add_fork_join(data, out);
  write_counters_csv(data.counters, out);
  for (unsigned b = 0; b < kWaitBuckets; ++b) {
    if (b == 0) {
      out.add("histogram,quick,,");
    } else if (b == kWaitBuckets - 1) {
      out.add("histogram,longer,,");
    } else {
      out.add("histogram,below_ns,%" PRIu64 ",", wait_bucket_below_ns(b));
    }
    out.add("%" PRIu64 "\n", data.waiting.histogram[b].read());
  }
  for (unsigned i = 0; i < data.totals->threads; ++i) {
    const WaitStats& stats = data.totals->by_thread[i];
    out.add("thread,barriers,%u,%" PRIu64 "\n", i, stats.barriers.read());
    out.add("thread,arrived_last,%u,%" PRIu64 "\n", i, stats.arrived_last.read());
    out.add("thread,waited_ns,%u,%" PRIu64 "\n", i, stats.waited_ns.read());
  }
}

}  // namespace muster
