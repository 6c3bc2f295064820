// One table: the events that count failed store-conditionals and L2 misses, by CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster::launcher {

enum class Quantity : std::uint8_t { kFailedStores, kL2Misses };

constexpr const char* name_of(Quantity quantity) {
  return quantity == Quantity::kFailedStores ? "failed store-conditionals" : "L2 misses";
}

enum class Meaning : std::uint8_t {
  kCounts,   // the quantity, or the part of it that `note` describes
  kNearest,  // the CPU cannot count it; this is something else that correlates with it
};

struct CpuEvent {
  const char* family;
  Quantity quantity;
  const char* name;  // PAPI's name
  Meaning meaning;
  const char* note;
  const char* source;
};

// By family, best first.
std::span<const CpuEvent> cpu_events();

// PAPI's own names, which mean the same everywhere but exist on few CPUs.
struct Preset {
  Quantity quantity;
  const char* name;
  const char* note;
};
std::span<const Preset> presets();

// The CPU in the words of /proc/cpuinfo, and its family in the table.
struct Cpu {
  std::string text;
  std::string family;  // empty: not in the table
};
Cpu identify_cpu(std::string_view cpuinfo);

}  // namespace muster::launcher
