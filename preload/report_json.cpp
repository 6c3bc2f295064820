// The report as one JSON object: docs/report-format.md.
#include <cinttypes>

#include "options/settings.h"
#include "preload/report.h"
#include "preload/runtime_origin.h"

namespace muster {
namespace {

void field(TextBuffer& out, const char* name, std::uint64_t value, const char* after = ",") {
  out.add("\"%s\": %" PRIu64 "%s", name, value, after);
}

void text_field(TextBuffer& out, const char* name, const char* value, const char* after = ",") {
  out.add("\"%s\": ", name);
  if (value == nullptr) {
    out.add("null");
  } else {
    out.add_json_string(value);
  }
  out.add("%s", after);
}

// Separates the elements of a list.
class Comma {
 public:
  const char* next() {
    const char* separator = first_ ? "\n    " : ",\n    ";
    first_ = false;
    return separator;
  }

 private:
  bool first_ = true;
};

// All options as they are in force; null: not set.
void add_settings(TextBuffer& out) {
  out.add("  \"settings\": {");
  Comma comma;
  for (const Option& option : kOptions) {
    const char* text = text_in_force(option);
    out.add("%s", comma.next());
    text_field(out, option.variable, *text != '\0' ? text : nullptr, "");
  }
  out.add("},\n  ");
}

void add_runtimes(const ReportData& data, TextBuffer& out) {
  out.add("  \"runtimes\": [");
  Comma comma;
  for (unsigned i = 0; i < data.runtime_count; ++i) {
    const Runtime& runtime = *data.runtimes[i];
    out.add("%s{", comma.next());
    const RuntimeLine& line = data.runtime_lines[i];
    text_field(out, "path", line.path);
    text_field(out, "package", line.package[0] != '\0' ? line.package : nullptr);
    text_field(out, "kind", name_of(runtime.kind));
    out.add("\"replaced\": %s,", runtime.replaced ? "true" : "false");
    text_field(out, "reason", runtime.replaced ? nullptr : name_of(runtime.reason));
    field(out, "arrivals_replaced", line.replaced, "}");
  }
  out.add("],\n");
}

void add_unreached(const ReportData& data, TextBuffer& out) {
  out.add("  \"unreached\": [");
  Comma comma;
  for (unsigned i = 0; i < data.unreached_count; ++i) {
    const Unreached& unreached = data.unreached[i];
    char package[256];
    package_of(unreached.path, package, sizeof(package));
    out.add("%s{", comma.next());
    text_field(out, "path", unreached.path);
    text_field(out, "package", package[0] != '\0' ? package : nullptr);
    text_field(out, "kind", name_of(unreached.kind));
    text_field(out, "why", name_of(unreached.why));
    text_field(out, "caller", unreached.object[0] != '\0' ? unreached.object : nullptr, "}");
  }
  out.add("],\n");
}

// What a source that is not there would have told is null, never 0.
void known_field(TextBuffer& out, const char* name, bool known, std::uint64_t value) {
  if (known) {
    field(out, name, value);
  } else {
    out.add("\"%s\": null,", name);
  }
}

void add_costs(const Calibration* calibration, TextBuffer& out) {
  for (const NamedCost& named : kCosts) {
    out.add("\"%s_ns\": ", named.key);
    if (calibration == nullptr) {
      out.add("null,");
    } else {
      out.add("%" PRIu64 ",", (calibration->*named.cost).ns);
    }
  }
  out.add("\n  \"cost_notes\": {");
  const char* separator = "";
  for (const NamedCost& named : kCosts) {
    if (calibration == nullptr) break;
    out.add("%s\"%s\": \"%s\"", separator, named.key, name_of((calibration->*named.cost).note));
    separator = ", ";
  }
  out.add("},\n");
}

void add_load(const LoadSnapshot& load, TextBuffer& out) {
  out.add("  \"load\": {");
  field(out, "looks", load.looks);
  const bool seen = load.looks != 0;
  known_field(out, "allowed_cpus", seen, load.allowed_cpus);
  known_field(out, "quota_millicpus", load.quota_millicpus != 0, load.quota_millicpus);
  known_field(out, "runnable", seen && load.has(LoadSource::kRunnable), load.runnable);
  known_field(out, "most_runnable", load.most_runnable != 0, load.most_runnable);
  const bool throttling = seen && load.has(LoadSource::kThrottling);
  known_field(out, "throttled_periods", throttling, load.throttled_periods);
  known_field(out, "throttled_ns", throttling, load.throttled_ns);
  known_field(out, "throttled_before", throttling, load.throttled_before);
  known_field(out, "stalled_us", seen && load.has(LoadSource::kPressure), load.stalled_us);
  out.add("\"unavailable\": [");
  const char* separator = "";
  for (const LoadSourceName& source : kLoadSourceNames) {
    if (load.has(source.source)) continue;
    out.add("%s\"%s\"", separator, source.name);
    separator = ", ";
  }
  out.add("]},\n");
}

void add_missing(const MissingList& missing, TextBuffer& out) {
  out.add("  \"missing\": [");
  Comma items;
  for (const MissingItem& item : missing) {
    out.add("%s{", items.next());
    text_field(out, "what", item.what);
    text_field(out, "error", item.error);
    known_field(out, "times", item.times != 0, item.times);
    text_field(out, "effect", item.effect, "}");
  }
  out.add("],\n");
}

void add_barriers(const ReportData& data, TextBuffer& out) {
  out.add("  \"barriers\": {");
  field(out, "replaced", data.total_replaced);
  field(out, "passed_through", data.total_passed);
  field(out, "instances_replaced", data.totals->by_thread[0].barriers.read());
  out.add("\n   \"by_entry\": [");
  Comma entries;
  for (unsigned i = 0; i < kEntries; ++i) {
    if (data.replaced[i] + data.passed[i] == 0) continue;
    out.add("%s{", entries.next());
    text_field(out, "entry", kEntryNames[i]);
    field(out, "replaced", data.replaced[i]);
    field(out, "passed_through", data.passed[i], "}");
  }
  out.add("],\n   \"by_reason\": [");
  Comma reasons;
  for (unsigned i = 0; i < kPassReasons; ++i) {
    if (data.reasons[i] == 0) continue;
    out.add("%s{", reasons.next());
    text_field(out, "reason", kPassReasonNames[i]);
    field(out, "count", data.reasons[i], "}");
  }
  out.add("],\n   \"by_algorithm\": [");
  Comma uses;
  for (unsigned i = 0; i < data.totals->use_count; ++i) {
    const AlgorithmUse& use = data.totals->uses[i];
    if (use.replaced.read() == 0) continue;
    out.add("%s{", uses.next());
    text_field(out, "algorithm", name_of(use.kind));
    text_field(out, "wait", data.wait);
    field(out, "team_size", use.team_size);
    field(out, "replaced", use.replaced.read(), "}");
  }
  out.add("]},\n");
}

void rate_field(TextBuffer& out, std::uint64_t spins_succeeded, std::uint64_t waits,
                const char* after = ",") {
  const double rate = spin_rate(spins_succeeded, waits);
  if (rate < 0) {
    out.add("\"ssr\": null%s", after);
  } else {
    out.add("\"ssr\": %.6f%s", rate, after);
  }
}

void add_sizes(const ReportData& data, TextBuffer& out) {
  out.add("\n   \"by_team_size\": [");
  Comma sizes;
  for (unsigned size = 2; size <= data.totals->threads; ++size) {
    const SizeUse& use = data.totals->by_size[size];
    if (use.arrivals.read() == 0 && use.waits.read() == 0) continue;
    out.add("%s{", sizes.next());
    field(out, "team_size", size);
    text_field(out, "wait", data.wait);
    field(out, "arrivals", use.arrivals.read());
    field(out, "arrived_last", use.arrived_last.read());
    field(out, "waits", use.waits.read());
    field(out, "spins_succeeded", use.spins_succeeded.read());
    field(out, "blocks", use.blocks.read());
    rate_field(out, use.spins_succeeded.read(), use.waits.read(), "}");
  }
  out.add("],");
}

void add_waiting(const ReportData& data, TextBuffer& out) {
  const WaitStats& waiting = data.waiting;
  out.add("  \"waiting\": {");
#define MUSTER_COUNTER(name) field(out, #name, waiting.name.read());
  MUSTER_WAIT_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  field(out, "waits", waiting.waits());
  rate_field(out, waiting.spins_succeeded.read(), waiting.waits());
  text_field(out, "ssr_reminder", kSpinRateReminder);
  add_sizes(data, out);
  out.add("\n   \"histogram\": [");
  Comma buckets;
  for (unsigned b = 0; b < kWaitBuckets; ++b) {
    out.add("%s{\"quick\": %s,", buckets.next(), b == 0 ? "true" : "false");
    if (b == 0 || b == kWaitBuckets - 1) {
      out.add("\"below_ns\": null,");
    } else {
      field(out, "below_ns", wait_bucket_below_ns(b));
    }
    field(out, "count", waiting.histogram[b].read(), "}");
  }
  out.add("]},\n");
}

void add_runtime_yields(const ReportData& data, TextBuffer& out) {
  out.add("  \"runtime_yields\": {");
  field(out, "seen", data.yields.seen(), "");
#define MUSTER_COUNTER(name) \
  out.add(", ");             \
  field(out, #name, data.yields.name.read(), "");
  MUSTER_YIELD_COUNTERS(MUSTER_COUNTER)
#undef MUSTER_COUNTER
  out.add("},\n");
}

void add_fold_reasons(const char* what, const char* const* names, const std::uint64_t* counts,
                      unsigned reasons, Comma& comma, TextBuffer& out) {
  for (unsigned i = 0; i < reasons; ++i) {
    if (counts[i] == 0) continue;
    out.add("%s{", comma.next());
    text_field(out, "what", what);
    text_field(out, "reason", names[i]);
    field(out, "count", counts[i], "}");
  }
}

void add_fold_site(const FoldSite& site, const char* program, TextBuffer& out) {
  const CodePlace place = place_of(site.caller, program);
  text_field(out, "what", name_of_effect(site));
  text_field(out, "reason", site.reason);
  text_field(out, "symbol", site.symbol);
  text_field(out, "object", place.object);
  out.add("\"offset\": \"0x%" PRIxPTR "\",", place.offset);
  field(out, "count", site.count, "}");
}

void add_fork_join(const ReportData& data, TextBuffer& out) {
  const ForkJoinReport& fork_join = data.fork_join;
  const FoldCounts& counts = *fork_join.counts;
  out.add("  \"fork_join\": {");
  text_field(out, "setting", fork_join.setting);
  field(out, "opened", counts.opened);
  field(out, "folded", counts.folded);
  field(out, "unfolded", fork_join.unfolded);
  field(out, "closed", fork_join.closed);
  out.add("\n   \"by_reason\": [");
  Comma reasons;
  add_fold_reasons("closed", kClosedNames, counts.closed, kClosedReasons, reasons, out);
  add_fold_reasons("unfolded", kUnfoldedNames, counts.unfolded, kUnfoldedReasons, reasons, out);
  out.add("],\n   \"sites\": [");
  Comma sites;
  for (unsigned i = 0; i < counts.site_count; ++i) {
    out.add("%s{", sites.next());
    add_fold_site(counts.sites[i], data.program, out);
  }
  out.add("]},\n");
}

void add_threads(const ReportData& data, TextBuffer& out) {
  out.add("  \"threads\": [");
  Comma threads;
  for (unsigned i = 0; i < data.totals->threads; ++i) {
    const WaitStats& stats = data.totals->by_thread[i];
    out.add("%s{", threads.next());
    field(out, "thread", i);
    field(out, "barriers", stats.barriers.read());
    field(out, "arrived_last", stats.arrived_last.read());
    field(out, "waited_ns", stats.waited_ns.read());
    field(out, "longest_wait_ns", stats.longest_wait_ns.read());
    const double share = wait_share(data, i);
    if (share < 0) {
      out.add("\"imbalance\": null}");
    } else {
      out.add("\"imbalance\": %.4f}", share);
    }
  }
  out.add("]\n");
}

}  // namespace

void write_json(const ReportData& data, TextBuffer& out) {
  out.add("{\n  ");
  text_field(out, "muster", MUSTER_VERSION);
  text_field(out, "source", "software");
  text_field(out, "host", data.host);
  out.add("\"pid\": %ld, \"rank\": %ld,\n  ", data.pid, data.rank);
  text_field(out, "program", data.program);
  out.add("\"active\": %s,", data.active ? "true" : "false");
  text_field(out, "inactive_reason", data.inactive_reason, ",\n");
  add_settings(out);
  add_costs(data.calibration, out);
  add_runtimes(data, out);
  add_unreached(data, out);
  add_load(data.load, out);
  add_missing(data.missing, out);
  out.add("  ");
  field(out, "regions", data.regions);
  field(out, "teams", data.teams);
  field(out, "largest_team", data.totals->threads, ",\n");
  add_barriers(data, out);
  add_waiting(data, out);
  add_runtime_yields(data, out);
  add_fork_join(data, out);
  write_counters_json(data.counters, out);
  add_threads(data, out);
  out.add("}\n");
}

}  // namespace muster
