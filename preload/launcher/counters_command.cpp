// `muster counters`: lists the events for failed store-conditionals and L2 misses that can be counted on this
// machine, and the software events of the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "counters/events.h"
#include "options/table.h"
#include "preload/launcher/commands.h"
#include "preload/launcher/cpu_events.h"

namespace muster::launcher {
namespace {

struct CountersRequest {
  bool json = false;
  bool all = false;
};

struct EventRow {
  std::string group{};
  std::string name{};
  std::string meaning{};  // "counts" or "nearest"
  std::string note{};
  std::string source{};  // where the row comes from
  std::string family{};
  bool available = false;
  std::string reason{};  // why it is not available
};

struct Listing {
  Cpu cpu;
  papi::Library papi;
  std::string paranoid;
  std::vector<EventRow> rows;
};

std::string read_cpuinfo() {
  std::stringstream text;
  text << std::ifstream("/proc/cpuinfo").rdbuf();
  return text.str();
}

// Tries each event by itself. Whether several can be counted together is tested when they are counted.
void probe(const papi::Library& papi, EventRow& row) {
  const auto events = std::make_unique<Events>();
  if (!parse_events(row.name.c_str(), *events)) return;
  events->papi = papi;
  prepare_each(*events);
  row.available = events->available() == 1;
  if (!row.available) row.reason = events->events[0].reason.text;
}

EventRow event_row(const CpuEvent& event) {
  return {.group = name_of(event.quantity),
          .name = event.name,
          .meaning = event.meaning == Meaning::kCounts ? "counts" : "nearest",
          .note = event.note,
          .source = event.source,
          .family = event.family};
}

void add_hardware(Listing& listing, bool all) {
  for (const Quantity quantity : {Quantity::kFailedStores, Quantity::kL2Misses}) {
    for (const Preset& preset : presets()) {
      if (preset.quantity != quantity) continue;
      EventRow row{.group = name_of(quantity),
                   .name = preset.name,
                   .meaning = "counts",
                   .note = preset.note,
                   .source = "PAPI's preset"};
      probe(listing.papi, row);
      listing.rows.push_back(row);
    }
    for (const CpuEvent& event : cpu_events()) {
      if (event.quantity != quantity || (!all && event.family != listing.cpu.family)) continue;
      EventRow row = event_row(event);
      if (event.family == listing.cpu.family) {
        probe(listing.papi, row);
      } else {
        row.reason = "another CPU's";
      }
      listing.rows.push_back(row);
    }
  }
}

void add_software(Listing& listing) {
  std::vector<KernelEvent> listed;
  for (const KernelEventName& event : kKernelEvents) {
    if (std::find(listed.begin(), listed.end(), event.event) != listed.end())
      continue;  // its alias
    listed.push_back(event.event);
    EventRow row{.group = "software",
                 .name = event.name,
                 .meaning = "counts",
                 .note = event.meaning,
                 .source = "the kernel"};
    probe(listing.papi, row);
    listing.rows.push_back(row);
  }
}

Listing make_listing(bool all) {
  Listing listing;
  listing.cpu = identify_cpu(read_cpuinfo());
  start_papi(listing.papi, std::getenv(option_of(Setting::papi).variable), papi::Shared::kYes);
  if (int level = 0; papi::perf_event_paranoid(level)) listing.paranoid = std::to_string(level);
  add_hardware(listing, all);
  add_software(listing);
  return listing;
}

std::string papi_row(const papi::Library& papi) {
  return papi.usable ? papi.version : fmt::format("unavailable: {}", papi.reason.text);
}

void print_plain(const Listing& listing) {
  fmt::print("cpu        {}; {}\n", listing.cpu.text,
             listing.cpu.family.empty() ? "not in the table" : listing.cpu.family);
  fmt::print("papi       {}\n", papi_row(listing.papi));
  fmt::print("paranoid   {}\n",
             listing.paranoid.empty()
                 ? "no perf_event in this kernel"
                 : "/proc/sys/kernel/perf_event_paranoid is " + listing.paranoid);
  std::string group;
  for (const EventRow& row : listing.rows) {
    if (row.group != group) fmt::print("\n{}\n", row.group);
    group = row.group;
    const bool others = !row.family.empty() && row.family != listing.cpu.family;
    fmt::print("  {}{}: {}\n", others ? row.family + ", " : "", row.name,
               others          ? "not this CPU's"
               : row.available ? "available"
                               : "unavailable: " + row.reason);
    fmt::print("      {}{} [{}]\n", row.meaning == "nearest" ? "nearest, not the same: " : "",
               row.note, row.source);
  }
}

nlohmann::json null_or(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

void print_json(const Listing& listing) {
  nlohmann::json out;
  out["cpu"] = listing.cpu.text;
  out["family"] = null_or(listing.cpu.family);
  out["library"] = null_or(listing.papi.usable ? listing.papi.version : "");
  out["unavailable"] = null_or(listing.papi.usable ? "" : listing.papi.reason.text);
  out["perf_event_paranoid"] =
      listing.paranoid.empty() ? nlohmann::json() : nlohmann::json(std::stoi(listing.paranoid));
  out["events"] = nlohmann::json::array();
  for (const EventRow& row : listing.rows) {
    out["events"].push_back({{"group", row.group},
                             {"name", row.name},
                             {"meaning", row.meaning},
                             {"note", row.note},
                             {"source", row.source},
                             {"family", null_or(row.family)},
                             {"available", row.available},
                             {"reason", null_or(row.reason)}});
  }
  fmt::print("{}\n", out.dump(2));
}

}  // namespace

void add_counters(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "counters",
      "List the events that can be counted here: failed store-conditionals, L2 misses, software.");
  auto request = std::make_shared<CountersRequest>();
  command->add_flag("--json", request->json, "As one JSON object.");
  command->add_flag("--all", request->all, "Include the events of all known CPUs.");
  command->callback([request, &status] {
    const Listing listing = make_listing(request->all);
    request->json ? print_json(listing) : print_plain(listing);
    status = 0;
  });
}

}  // namespace muster::launcher
