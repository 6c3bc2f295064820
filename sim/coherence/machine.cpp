#include "sim/coherence/machine.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace muster::coherence {
namespace {

constexpr const char* kRule = "rule";

[[noreturn]] void fail(const std::string& text) { throw std::runtime_error(text); }

// No cache answers later, and no bus is occupied for longer, in cycles: more is a slip of the pen.
constexpr Cycles kLongest = 1'000'000;

// Reads a table whose every key must be known: a misspelt one would leave a latency at its default. What
// is wrong is said with the file, the line and the key.
class Table {
 public:
  Table(const toml::table& table, std::string file, std::string name = "")
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  template <class T>
  T get(const char* key) {
    if (!table_.contains(key)) fail_at(table_, fmt::format("{} is missing", key));
    const auto value = at(key).template value<T>();
    if (!value) fail_at(key, "is of the wrong kind");
    return *value;
  }
  Cycles cycles(const char* key) {
    const auto value = get<std::int64_t>(key);
    if (value < 0 || static_cast<Cycles>(value) > kLongest)
      fail_at(key, fmt::format("must be 0 to {}", kLongest));
    return static_cast<Cycles>(value);
  }
  unsigned count(const char* key) {
    const auto value = get<std::int64_t>(key);
    if (value < 1 || value > kMostCores) fail_at(key, fmt::format("must be 1 to {}", kMostCores));
    return static_cast<unsigned>(value);
  }
  double ghz(const char* key) {
    const auto value = get<double>(key);
    if (!(value >= 0.01 && value <= 100)) fail_at(key, "must be 0.01 to 100");
    return value;
  }
  unsigned bytes_of_line(const char* key) {
    const auto value = get<std::int64_t>(key);
    if (value < 8 || value > 4096 || !std::has_single_bit(static_cast<std::uint64_t>(value)))
      fail_at(key, "must be a power of two from 8 to 4096");
    return static_cast<unsigned>(value);
  }
  bool has(const char* key) const { return table_.contains(key); }
  Table table(const char* key) {
    const toml::table* inner = at(key).as_table();
    if (inner == nullptr) fail_at(table_, fmt::format("[{}] is missing", key));
    return {*inner, file_, fmt::format("[{}] ", key)};
  }
  std::vector<Table> tables(const char* key) {
    const toml::array* all = at(key).as_array();
    if (all == nullptr) fail_at(table_, fmt::format("[[{}]] is missing", key));
    std::vector<Table> out;
    for (const toml::node& node : *all) {
      if (!node.is_table()) fail_at(key, "must be tables");
      out.emplace_back(*node.as_table(), file_, fmt::format("[[{}]] ", key));
    }
    return out;
  }
  template <class T>
  T choice(const char* key, std::initializer_list<std::pair<const char*, T>> choices) {
    const auto word = get<std::string>(key);
    for (const auto& [name, value] : choices) {
      if (word == name) return value;
    }
    fail_at(key, fmt::format("cannot be \"{}\"", word));
  }
  void end() const {
    for (const auto& [key, value] : table_) {
      if (std::ranges::find(seen_, std::string(key.str())) == seen_.end())
        fail_at(value, fmt::format("unknown key {}", key.str()));
    }
  }
  [[noreturn]] void fail_at(const char* key, const std::string& what) const {
    fail_at(*table_.get(key), fmt::format("{} {}", key, what));
  }

 private:
  [[noreturn]] void fail_at(const toml::node& node, const std::string& what) const {
    fail(fmt::format("{}:{}: {}{}", file_, node.source().begin.line, name_, what));
  }
  toml::node_view<const toml::node> at(const char* key) {
    seen_.emplace_back(key);
    return table_[key];
  }

  const toml::table& table_;
  std::string file_;
  std::string name_;
  std::vector<std::string> seen_;
};

void read_core(Table table, Machine& out) {
  out.load_cycles = table.cycles("load_cycles");
  out.poll_cycles = table.cycles("poll_cycles");
  out.pause_cycles = table.cycles("pause_cycles");
  out.store_cycles = table.cycles("store_cycles");
  out.stores_in_flight = table.count("stores_in_flight");
  out.store_queue = table.count("store_queue");
  out.fence_cycles = table.cycles("fence_cycles");
  if (table.has("prefetch_streams")) {
    out.prefetch_streams = table.count("prefetch_streams");
    out.prefetch_lines = table.count("prefetch_lines");
  }
  out.atomics = table.choice<Atomics>(
      "atomics", {{"reservation", Atomics::kReservation}, {"locked", Atomics::kLocked}});
  out.atomic_cycles = table.cycles("atomic_cycles");
  table.end();
}

void read_node(Table table, Machine& out) {
  out.cores_in_node = table.count("cores");
  if (out.cores_in_node > 1) out.node_hit_cycles = table.cycles("hit_cycles");
  out.node_data_cycles = table.cycles("data_cycles");
  table.end();
}

void read_coherence(Table table, Machine& out) {
  out.coherence = table.choice<Coherence>(
      "kind", {{"snooping", Coherence::kSnooping}, {"directory", Coherence::kDirectory}});
  out.address_cycles = table.cycles("address_cycles");
  if (out.coherence == Coherence::kDirectory)
    out.invalidate_cycles = table.cycles("invalidate_cycles");
  out.memory_cycles = table.cycles("memory_cycles");
  table.end();
}

void read_levels(std::vector<Table> tables, Machine& out) {
  unsigned inside = 1;
  for (Table& table : tables) {
    Level level;
    level.name = table.get<std::string>("name");
    level.nodes = table.count("nodes");
    level.latency_cycles = table.cycles("latency_cycles");
    level.link_cycles = table.cycles("link_cycles");
    if (table.has("lanes")) level.lanes = table.count("lanes");
    if (table.has("hop_cycles")) level.hop_cycles = table.cycles("hop_cycles");
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
  toml::table root;
  try {
    root = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    fail(fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
  Machine out;
  Table table(root, file.string());
  out.name = name;
  out.title = table.get<std::string>("title");
  out.source = table.get<std::string>("source");
  out.clock_ghz = table.ghz("clock_ghz");
  out.line_bytes = table.bytes_of_line("line_bytes");
  out.cores = by_rule ? number_in(name) : table.count("cores");
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
