// Names and meanings are from the tables of PAPI and libpfm4 (named in each row) and from the manuals that those are
// based on, as of August 2026. POWER3 and POWER4 had presets in PAPI 3.0.8, the last version for their AIX.
#include "preload/launcher/cpu_events.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::launcher {
namespace {

using enum Quantity;
using enum Meaning;

constexpr const char* kHitm = "loads served from a line that another core had modified";
constexpr const char* kLockLoads =
    "locked instructions retired: attempts, which on x86 do not fail";
constexpr const char* kStrex =
    "STXR/STLXR that failed, speculative ones included; with LSE atomics there are none to fail";
constexpr const char* kRefill = "refills of the L2 for data, prefetches included";
constexpr const char* kL2Requests =
    "all requests that missed the L2: loads, stores, code, prefetches";
constexpr const char* kZenMiss = "L1 data misses that missed the L2, too";
constexpr const char* kZenLocks = "locked instructions retired: attempts, which on x86 do not fail";
constexpr const char* kBeyondL2 = "L1 reloads from beyond the core's L2, by demand loads";

constexpr CpuEvent kEvents[] = {
    {"POWER3", kFailedStores, "PM_ST_COND_FAIL", kCounts, "stwcx. and stdcx. that failed",
     "PAPI 3.0.8 src/power3.c, PAPI_CSR_FAL of the 630"},
    {"POWER3", kL2Misses, "PM_BIU_LD_NORTRY", kCounts, "loads only",
     "PAPI 3.0.8 src/power3.c, PAPI_L2_LDM of the 630"},

    {"POWER4", kFailedStores, "PM_STCX_FAIL", kCounts, "stwcx. and stdcx. that failed",
     "libpfm4 lib/events/power4_events.h"},
    {"POWER4", kL2Misses, "PM_DATA_FROM_L3", kCounts,
     "loads from the local L3; add PM_DATA_FROM_L35 and PM_DATA_FROM_MEM",
     "PAPI 3.0.8 src/power4.c, PAPI_L2_DCM"},
    {"POWER4", kL2Misses, "PM_DATA_FROM_L25_MOD", kCounts,
     "loads from the modified line of another chip of the MCM, which miss the own L2, too",
     "libpfm4 lib/events/power4_events.h"},
    {"POWER4", kL2Misses, "PM_DATA_FROM_L275_MOD", kCounts, "the same from another MCM",
     "libpfm4 lib/events/power4_events.h"},

    {"POWER8", kFailedStores, "PM_STCX_FAIL", kCounts, "stwcx. and the like that failed",
     "libpfm4 lib/events/power8_events.h"},
    {"POWER8", kL2Misses, "PM_DATA_FROM_L2MISS", kCounts, kBeyondL2,
     "PAPI papi_events.csv, PAPI_L2_DCM of power8"},
    {"POWER8", kL2Misses, "PM_L2_ST_MISS", kCounts, "stores", "libpfm4 lib/events/power8_events.h"},
    {"POWER9", kFailedStores, "PM_STCX_FAIL", kCounts, "stwcx. and the like that failed",
     "libpfm4 lib/events/power9_events.h"},
    {"POWER9", kL2Misses, "PM_DATA_FROM_L2MISS", kCounts, kBeyondL2,
     "PAPI papi_events.csv, PAPI_L2_DCM of power9"},
    {"POWER9", kL2Misses, "PM_L2_ST_MISS", kCounts, "stores", "libpfm4 lib/events/power9_events.h"},
    {"POWER10", kFailedStores, "PM_STCX_FAIL_FIN", kCounts, "stwcx. and the like that failed",
     "libpfm4 lib/events/power10_events.h"},
    {"POWER10", kL2Misses, "PM_DATA_FROM_L2MISS", kCounts, kBeyondL2,
     "PAPI papi_events.csv, PAPI_L2_DCM of power10 (with PM_L2_ST_MISS)"},
    {"POWER10", kL2Misses, "PM_L2_ST_MISS", kCounts, "stores",
     "libpfm4 lib/events/power10_events.h"},

    {"Neoverse N1", kFailedStores, "STREX_FAIL_SPEC", kCounts, kStrex,
     "libpfm4 lib/events/arm_neoverse_n1_events.h, event 0x6e"},
    {"Neoverse N1", kL2Misses, "L2D_CACHE_REFILL", kCounts, kRefill,
     "PAPI papi_events.csv, PAPI_L2_DCM of arm_n1"},
    {"Neoverse V1", kFailedStores, "STREX_FAIL_SPEC", kCounts, kStrex,
     "libpfm4 lib/events/arm_neoverse_v1_events.h, event 0x6e"},
    {"Neoverse V1", kL2Misses, "L2D_CACHE_REFILL", kCounts, kRefill,
     "PAPI papi_events.csv, PAPI_L2_DCM of arm_v1"},
    {"Neoverse V2", kFailedStores, "STREX_FAIL_SPEC", kCounts, kStrex,
     "libpfm4 lib/events/arm_neoverse_v2_events.h, event 0x6e"},
    {"Neoverse V2", kL2Misses, "L2D_CACHE_REFILL", kCounts, kRefill,
     "PAPI papi_events.csv, PAPI_L2_DCM of arm_v2"},
    {"AArch64", kFailedStores, "STREX_FAIL_SPEC", kCounts, kStrex,
     "Arm Architecture Reference Manual, PMU event 0x006E; older libpfm4 tables call it "
     "INST_SPEC_EXEC_STREX_FAIL"},
    {"AArch64", kL2Misses, "L2D_CACHE_REFILL", kCounts, kRefill,
     "Arm Architecture Reference Manual, PMU event 0x0017"},

    {"Skylake", kFailedStores, "MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", kNearest, kHitm,
     "libpfm4 lib/events/intel_skl_events.h"},
    {"Skylake", kFailedStores, "MEM_INST_RETIRED:LOCK_LOADS", kNearest, kLockLoads,
     "libpfm4 lib/events/intel_skl_events.h"},
    {"Skylake", kL2Misses, "L2_RQSTS:MISS", kCounts, kL2Requests,
     "libpfm4 lib/events/intel_skl_events.h"},
    {"Ice Lake", kFailedStores, "MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", kNearest, kHitm,
     "libpfm4 lib/events/intel_icl_events.h"},
    {"Ice Lake", kFailedStores, "MEM_INST_RETIRED:LOCK_LOADS", kNearest, kLockLoads,
     "libpfm4 lib/events/intel_icl_events.h"},
    {"Ice Lake", kL2Misses, "L2_RQSTS:MISS", kCounts, kL2Requests,
     "libpfm4 lib/events/intel_icl_events.h"},
    {"Sapphire Rapids", kFailedStores, "MEM_LOAD_L3_HIT_RETIRED:XSNP_FWD", kNearest, kHitm,
     "libpfm4 lib/events/intel_spr_events.h"},
    {"Sapphire Rapids", kFailedStores, "MEM_INST_RETIRED:LOCK_LOADS", kNearest, kLockLoads,
     "libpfm4 lib/events/intel_spr_events.h"},
    {"Sapphire Rapids", kL2Misses, "L2_RQSTS:MISS", kCounts, kL2Requests,
     "libpfm4 lib/events/intel_spr_events.h"},

    {"Zen 2", kFailedStores, "DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_CACHE", kNearest,
     "fills from another cache of the node", "libpfm4 lib/events/amd64_events_fam17h_zen2.h"},
    {"Zen 2", kFailedStores, "RETIRED_LOCK_INSTRUCTIONS:CACHEABLE_LOCKS", kNearest, kZenLocks,
     "libpfm4 lib/events/amd64_events_fam17h_zen2.h"},
    {"Zen 2", kL2Misses, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", kCounts,
     kZenMiss, "PAPI papi_events.csv, PAPI_L2_DCM of amd64_fam17h_zen2"},
    {"Zen 3", kFailedStores, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:EXT_CACHE_LCL", kNearest,
     "fills from the cache of another CCX of the node",
     "libpfm4 lib/events/amd64_events_fam19h_zen3.h"},
    {"Zen 3", kL2Misses, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", kCounts,
     kZenMiss, "PAPI papi_events.csv, PAPI_L2_DCM of amd64_fam19h_zen3"},
    {"Zen 4", kFailedStores, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:LOCAL_CCX", kNearest,
     "fills from the L3 or another L2 of the CCX", "libpfm4 lib/events/amd64_events_fam19h_zen4.h"},
    {"Zen 4", kL2Misses, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", kCounts,
     kZenMiss, "PAPI papi_events.csv, PAPI_L2_DCM of amd64_fam19h_zen4"},
    {"Zen 5", kFailedStores, "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:LOCAL_CCX", kNearest,
     "fills from the L3 or another L2 of the CCX", "libpfm4 lib/events/amd64_events_fam1ah_zen5.h"},
    {"Zen 5", kL2Misses, "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", kCounts,
     kZenMiss, "PAPI papi_events.csv, PAPI_L2_DCM of amd64_fam1ah_zen5"},
};

constexpr Preset kPresets[] = {
    {kFailedStores, "PAPI_CSR_FAL", "failed store-conditionals"},
    {kFailedStores, "PAPI_CSR_TOT", "all store-conditionals"},
    {kL2Misses, "PAPI_L2_TCM", "all L2 misses"},
    {kL2Misses, "PAPI_L2_DCM", "L2 misses for data"},
};

// The text after the colon in the first line of /proc/cpuinfo that begins with `key`.
std::string_view field(std::string_view cpuinfo, std::string_view key) {
  for (std::size_t at = 0; at < cpuinfo.size();) {
    const std::size_t end = std::min(cpuinfo.find('\n', at), cpuinfo.size());
    const std::string_view line = cpuinfo.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      std::string_view name = line.substr(0, colon);
      while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
      if (name == key) {
        const std::size_t begin = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
        return line.substr(begin);
      }
    }
    at = end + 1;
  }
  return {};
}

std::optional<int> number(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    text.remove_prefix(2);
    base = 16;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The models as in libpfm4 (lib/pfmlib_intel_*.c).
std::string intel_family(int model) {
  switch (model) {
    case 78:
    case 94:
    case 142:
    case 158:
    case 165:
    case 166:
    case 85:
      return "Skylake";  // with Kaby, Comet and Cascade Lake
    case 108:
    case 125:
    case 126:
    case 157:
    case 140:
    case 141:
    case 167:
    case 106:
      return "Ice Lake";  // with Tiger and Rocket Lake
    case 143:
    case 207:
    case 173:
    case 174:
      return "Sapphire Rapids";  // with Emerald and Granite Rapids
    default:
      return {};
  }
}

// Distinguished as in libpfm4 (lib/pfmlib_amd64.c).
std::string amd_family(int family, int model) {
  if (family == 0x17) return model >= 0x30 ? "Zen 2" : "";
  if (family == 0x19) {
    return model >= 0x60 || (model >= 0x10 && model <= 0x1f) ? "Zen 4" : "Zen 3";
  }
  if (family == 0x1a) {
    return model <= 0x4f || (model >= 0x60 && model <= 0x7f) ? "Zen 5" : "";
  }
  return {};
}

std::string arm_family(int implementer, int part) {
  constexpr int kArm = 0x41;
  if (implementer == kArm && part == 0xd0c) return "Neoverse N1";
  if (implementer == kArm && part == 0xd40) return "Neoverse V1";
  if (implementer == kArm && part == 0xd4f) return "Neoverse V2";
  return "AArch64";
}

// The number in "POWER9, altivec supported", "POWER3 (630+)", "POWER4+ (gq)".
std::string power_family(std::string_view cpu) {
  constexpr std::string_view kPower = "POWER";
  if (cpu.substr(0, kPower.size()) != kPower) return {};
  std::size_t end = kPower.size();
  while (end < cpu.size() && cpu[end] >= '0' && cpu[end] <= '9') ++end;
  return std::string(cpu.substr(0, end));
}

}  // namespace

std::span<const CpuEvent> cpu_events() { return kEvents; }
std::span<const Preset> presets() { return kPresets; }

Cpu identify_cpu(std::string_view cpuinfo) {
  Cpu cpu;
  if (const std::string_view vendor = field(cpuinfo, "vendor_id"); !vendor.empty()) {
    const auto family = number(field(cpuinfo, "cpu family"));
    const auto model = number(field(cpuinfo, "model"));
    cpu.text = std::string(field(cpuinfo, "model name"));
    if (family && model && vendor == "GenuineIntel" && *family == 6) {
      cpu.family = intel_family(*model);
    } else if (family && model && vendor == "AuthenticAMD") {
      cpu.family = amd_family(*family, *model);
    }
    if (family && model) {
      cpu.text += " (" + std::string(vendor) + " family " + std::to_string(*family) + " model " +
                  std::to_string(*model) + ")";
    }
  } else if (const auto part = number(field(cpuinfo, "CPU part"))) {
    const int implementer = number(field(cpuinfo, "CPU implementer")).value_or(0);
    cpu.family = arm_family(implementer, *part);
    cpu.text = "Arm implementer " + std::string(field(cpuinfo, "CPU implementer")) + " part " +
               std::string(field(cpuinfo, "CPU part"));
  } else if (const std::string_view name = field(cpuinfo, "cpu"); !name.empty()) {
    cpu.text = std::string(name);
    cpu.family = power_family(name);
  }
  const auto is_its = [&](const CpuEvent& event) { return cpu.family == event.family; };
  if (std::none_of(std::begin(kEvents), std::end(kEvents), is_its)) cpu.family.clear();
  if (cpu.text.empty()) cpu.text = "unknown";
  return cpu;
}

}  // namespace muster::launcher
