#include "preload/report_counters.h"

#include <cinttypes>

#include "options/settings.h"
#include "preload/message.h"

namespace muster {
namespace {

void json_text(TextBuffer& out, const char* value) {
  if (value == nullptr || value[0] == '\0') {
    out.add("null");
  } else {
    out.add_json_string(value);
  }
}

void json_count(TextBuffer& out, const char* name, const EventTotals& event, std::uint64_t value) {
  out.add(", \"%s\": ", name);
  if (event.counted) {
    out.add("%" PRIu64, value);
  } else {
    out.add("null");
  }
}

// A quoted field of a line, as RFC 4180 has it.
void csv_text(TextBuffer& out, const char* text) {
  out.add("\"");
  for (; *text != '\0'; ++text) out.add(*text == '"' ? "\"\"" : "%c", *text);
  out.add("\"");
}

void csv_row(TextBuffer& out, const char* name, const char* detail, std::uint64_t value) {
  out.add("counters,");
  csv_text(out, name);
  out.add(",");
  csv_text(out, detail);
  out.add(",%" PRIu64 "\n", value);
}

void csv_text_row(TextBuffer& out, const char* name, const char* detail, const char* value) {
  out.add("counters,");
  csv_text(out, name);
  out.add(",%s,", detail);
  csv_text(out, value);
  out.add("\n");
}

}  // namespace

void begin_asked_counting() {
  const Settings& in_force = settings();
  if (!in_force.on || in_force.counters == nullptr) return;
  const Events& events = begin_counting(in_force.counters, in_force.papi);
  const bool no_papi = events.wants_papi && !events.papi.usable;
  if (no_papi) {
    message("MUSTER_COUNTERS: %s; %s", events.papi.reason.text,
            events.available() > 0 ? "only the kernel's events are counted" : "nothing is counted");
  }
  for (unsigned i = 0; i < events.count; ++i) {
    const Event& event = events.events[i];
    if (event.source != EventSource::kUnavailable) continue;
    if (no_papi && event.of_kernel == nullptr) continue;  // said already
    message("MUSTER_COUNTERS: '%s' is not counted: %s; %s", event.name, event.reason.text,
            events.available() > 0 ? "the others are" : "nothing is");
  }
}

void write_counters_text(const CounterTotals& counters, TextBuffer& out) {
  if (!counters.asked) return;
  out.add("  counters           ");
  if (!counters.unavailable.empty()) {
    out.add("unavailable: %s\n", counters.unavailable.text);
  } else {
    out.add("of %u threads in regions%s%s\n", counters.threads,
            counters.library != nullptr ? "; PAPI " : "",
            counters.library != nullptr ? counters.library : "");
  }
  bool heading = true;
  for (unsigned i = 0; i < counters.count; ++i) {
    const EventTotals& event = counters.events[i];
    if (event.counted && heading) {
      out.add("    %-28s %14s %14s\n", "event", "waiting", "rest");
      heading = false;
    }
    if (event.counted) {
      out.add("    %-28s %14" PRIu64 " %14" PRIu64 "  %s%s", event.name, event.waiting, event.rest,
              name_of(event.source), event.multiplexed ? ", multiplexed" : "");
    } else if (event.source == EventSource::kUnavailable) {
      out.add("    %-28s unavailable", event.name);
    } else {
      out.add("    %-28s not counted", event.name);
    }
    out.add("%s%s\n", event.reason.empty() ? "" : ": ", event.reason.text);
  }
}

void write_counters_json(const CounterTotals& counters, TextBuffer& out) {
  out.add("  \"counters\": ");
  if (!counters.asked) {
    out.add("null,\n");
    return;
  }
  out.add("{\"setting\": ");
  json_text(out, counters.setting);
  out.add(", \"library\": ");
  json_text(out, counters.library);
  out.add(", \"unavailable\": ");
  json_text(out, counters.unavailable.text);
  out.add(", \"threads\": %u,\n   \"events\": [", counters.threads);
  for (unsigned i = 0; i < counters.count; ++i) {
    const EventTotals& event = counters.events[i];
    out.add("%s\n    {\"name\": ", i == 0 ? "" : ",");
    json_text(out, event.name);
    out.add(", \"source\": \"%s\", \"reason\": ", name_of(event.source));
    json_text(out, event.reason.text);
    out.add(", \"multiplexed\": %s", event.multiplexed ? "true" : "false");
    json_count(out, "waiting", event, event.waiting);
    json_count(out, "rest", event, event.rest);
    out.add("}");
  }
  out.add("]},\n");
}

void write_counters_csv(const CounterTotals& counters, TextBuffer& out) {
  if (!counters.asked) return;
  if (counters.library != nullptr) csv_text_row(out, "PAPI", "version", counters.library);
  if (!counters.unavailable.empty()) {
    csv_text_row(out, "all", "unavailable", counters.unavailable.text);
  }
  out.add("counters,threads,,%u\n", counters.threads);
  for (unsigned i = 0; i < counters.count; ++i) {
    const EventTotals& event = counters.events[i];
    csv_text_row(out, event.name, "source", name_of(event.source));
    if (!event.reason.empty()) csv_text_row(out, event.name, "reason", event.reason.text);
    if (!event.counted) continue;
    csv_row(out, event.name, "multiplexed", event.multiplexed ? 1 : 0);
    csv_row(out, event.name, "waiting", event.waiting);
    csv_row(out, event.name, "rest", event.rest);
  }
}

}  // namespace muster
