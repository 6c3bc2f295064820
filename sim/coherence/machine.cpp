#include "sim/coherence/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <stdexcept>

#include "sim/run_file.h"

namespace muster::coherence {
namespace {

constexpr const char* kRule = "rule";

[[noreturn]] void fail(const std::string& text) { throw std::runtime_error(text); }

// No cache answers later, and no bus is occupied for longer, in cycles: more is a slip of the pen.
constexpr Cycles kLongest = 1'000'000;

using sim::RunTable;

Cycles cycles(RunTable& table, const char* key) {
  return static_cast<Cycles>(table.integer(key, 0, static_cast<std::int64_t>(kLongest)));
}
unsigned count(RunTable& table, const char* key) {
  return static_cast<unsigned>(table.integer(key, 1, kMostCores));
}
unsigned bytes_of_line(RunTable& table, const char* key) {
  const auto value = table.get<std::int64_t>(key);
  if (value < 8 || value > 4096 || !std::has_single_bit(static_cast<std::uint64_t>(value)))
    table.fail_at(key, "must be a power of two from 8 to 4096");
  return static_cast<unsigned>(value);
}

void read_core(RunTable table, Machine& out) {
  out.load_cycles = cycles(table, "load_cycles");
  out.poll_cycles = cycles(table, "poll_cycles");
  out.pause_cycles = cycles(table, "pause_cycles");
  out.store_cycles = cycles(table, "store_cycles");
  out.stores_in_flight = count(table, "stores_in_flight");
  out.store_queue = count(table, "store_queue");
  out.fence_cycles = cycles(table, "fence_cycles");
  if (table.has("prefetch_streams")) {
    out.prefetch_streams = count(table, "prefetch_streams");
    out.prefetch_lines = count(table, "prefetch_lines");
  }
  out.atomics = table.choice<Atomics>(
      "atomics", {{"reservation", Atomics::kReservation}, {"locked", Atomics::kLocked}});
  out.atomic_cycles = cycles(table, "atomic_cycles");
  table.end();
}

void read_node(RunTable table, Machine& out) {
  out.cores_in_node = count(table, "cores");
  if (out.cores_in_node > 1) out.node_hit_cycles = cycles(table, "hit_cycles");
  out.node_data_cycles = cycles(table, "data_cycles");
  table.end();
}

void read_coherence(RunTable table, Machine& out) {
  out.coherence = table.choice<Coherence>(
      "kind", {{"snooping", Coherence::kSnooping}, {"directory", Coherence::kDirectory}});
  out.address_cycles = cycles(table, "address_cycles");
  if (out.coherence == Coherence::kDirectory)
    out.invalidate_cycles = cycles(table, "invalidate_cycles");
  out.memory_cycles = cycles(table, "memory_cycles");
  table.end();
}

void read_levels(std::vector<RunTable> tables, Machine& out) {
  unsigned inside = 1;
  for (RunTable& table : tables) {
    Level level;
    level.name = table.get<std::string>("name");
    level.nodes = count(table, "nodes");
    level.latency_cycles = cycles(table, "latency_cycles");
    level.link_cycles = cycles(table, "link_cycles");
    if (table.has("lanes")) level.lanes = count(table, "lanes");
    if (table.has("hop_cycles")) level.hop_cycles = cycles(table, "hop_cycles");
    table.end();
    if (level.nodes % inside != 0)
      table.fail_at("nodes", fmt::format("cannot be made of groups of {}", inside));
    inside = level.nodes;
    out.levels.push_back(level);
  }
}

unsigned number_in(const std::string& name) {
  const std::string digits = name.substr(std::string(kRule).size() + 1);
  unsigned cores = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cores);
  if (error != std::errc() || end != digits.data() + digits.size() || cores < 1 ||
      cores > kMostCores)
    fail(fmt::format("machine {}: the number of cores must be 1 to {}", name, kMostCores));
  return cores;
}

}  // namespace

unsigned Machine::level_between(unsigned node, unsigned other) const {
  unsigned level = 0;
  while (level + 1 < levels.size() && node / levels[level].nodes != other / levels[level].nodes)
    ++level;
  return level;
}

Cycles Machine::latency(unsigned node, unsigned holder) const {
  const unsigned index = level_between(node, holder);
  const Level& level = levels[index];
  if (level.hop_cycles == 0 || index == 0) return level.latency_cycles;
  // Requests and lines go round the ring in one direction, from the holder to the requester.
  const unsigned inside = levels[index - 1].nodes;
  const unsigned groups = level.nodes / inside;
  const unsigned hops = (node / inside + groups - holder / inside % groups) % groups;
  return level.latency_cycles + (hops > 0 ? hops - 1 : 0) * level.hop_cycles;
}

Cycles Machine::snoop_cycles(unsigned node) const {
  Cycles longest = 0;
  for (unsigned other = 0; other < nodes(); ++other) {
    if (other != node) longest = std::max(longest, latency(node, other));
  }
  return longest;
}

Machine load_machine(const std::filesystem::path& folder, const std::string& name) {
  const bool by_rule = name.starts_with(std::string(kRule) + "-");
  const std::filesystem::path file = folder / ((by_rule ? kRule : name) + ".toml");
  if (name == kRule || !std::filesystem::exists(file)) {
    const std::vector<std::string> names = machine_names(folder);
    fail(fmt::format("no machine {} in {}; there are: {}", name, folder.string(),
                     fmt::join(names, ", ")));
  }
  Machine out;
  const sim::RunFile contents(file);
  RunTable table = contents.root();
  out.name = name;
  out.title = table.get<std::string>("title");
  out.source = table.get<std::string>("source");
  out.clock_ghz = table.real("clock_ghz", 0.01, 100);
  out.line_bytes = bytes_of_line(table, "line_bytes");
  out.cores = by_rule ? number_in(name) : count(table, "cores");
  read_core(table.table("core"), out);
  read_node(table.table("node"), out);
  read_coherence(table.table("coherence"), out);
  read_levels(table.tables("level"), out);
  if (!by_rule) table.end();
  if (out.cores % out.cores_in_node != 0)
    fail(fmt::format("{}: {} cores cannot be made of nodes of {}", file.string(), out.cores,
                     out.cores_in_node));
  if (out.levels.back().nodes < out.nodes())
    fail(fmt::format("{}: the last [[level]] has {} nodes, the machine {}", file.string(),
                     out.levels.back().nodes, out.nodes()));
  return out;
}

std::vector<std::string> machine_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == ".toml")
      names.push_back(path.stem() == kRule ? "rule-N" : path.stem().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace muster::coherence
