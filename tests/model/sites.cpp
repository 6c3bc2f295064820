#include "tests/model/sites.h"

#include <array>
#include <filesystem>

namespace muster::model {
namespace {

// A source location is mostly identified by the addresses of its strings.
struct Known {
  const char* file = nullptr;
  unsigned line = 0;
  unsigned column = 0;
  std::uint16_t site = 0;
};
constexpr std::size_t kKnown = 1024;
std::array<Known, kKnown> g_known;

std::uint16_t new_or_old(const Place& place, Kind kind, std::memory_order order, unsigned bits) {
  const std::filesystem::path path(place.file_name());
  const std::string file = (path.parent_path().filename() / path.filename()).string();
  for (std::size_t i = 1; i < sites().size(); ++i) {
    const Site& site = sites()[i];
    if (site.file == file && site.line == place.line() && site.column == place.column()) {
      return static_cast<std::uint16_t>(i);
    }
  }
  sites().push_back({file, place.line(), place.column(), place.function_name(), kind, order, bits});
  return static_cast<std::uint16_t>(sites().size() - 1);
}

}  // namespace

std::vector<Site>& sites() {
  static std::vector<Site> all(1);  // 0: none
  return all;
}

std::uint16_t site_of(const Place& place, Kind kind, std::memory_order order, unsigned bits) {
  const auto key =
      reinterpret_cast<std::uintptr_t>(place.file_name()) * 31 + place.line() * 67 + place.column();
  Known& known = g_known[key % kKnown];
  if (known.file != place.file_name() || known.line != place.line() ||
      known.column != place.column()) {
    known = {place.file_name(), place.line(), place.column(), new_or_old(place, kind, order, bits)};
  }
  sites()[known.site].met = true;
  return known.site;
}

std::vector<Change> changes_at(const Site& site) {
  switch (site.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAdd:
    case Kind::kExchange:
    case Kind::kCompareExchange: {
      std::vector<Change> out;
      if (site.order == std::memory_order_acq_rel || site.order == std::memory_order_seq_cst) {
        out = {Change::kAcquireOnly, Change::kReleaseOnly};
      } else if (site.order != std::memory_order_relaxed) {
        out = {Change::kRelaxed};
      }
      // Words of 32 bits are the sleep word's; all others hold episodes, or counts of arrivals.
      if (site.kind == Kind::kLoad && site.order == std::memory_order_acquire && site.bits != 32) {
        out.insert(out.end(), {Change::kFlag, Change::kCountFlag});
      }
      return out;
    }
    case Kind::kLightFence:
    case Kind::kHeavyFence:
    case Kind::kFullFence:
      return {Change::kNoFence};
    case Kind::kDrain:
      return {Change::kNoDrain};
    case Kind::kWait:
      return {Change::kNoComparison, Change::kBlindRecheck};
    case Kind::kWake:
      return {Change::kNoWake};
    default:
      return {};
  }
}

std::string name_of(Change change) {
  constexpr const char* kNames[] = {"none",
                                    "relaxed",
                                    "acquire only",
                                    "release only",
                                    "no fence",
                                    "value not compared",
                                    "not looked again",
                                    "no wake",
                                    "a flag",
                                    "a flag of counts",
                                    "not drained"};
  return kNames[static_cast<unsigned>(change)];
}

std::string name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "?";
}

std::string name_of(Kind kind) {
  constexpr const char* kNames[] = {
      "nothing",          "load",         "store",       "fetch_add",  "exchange",
      "compare_exchange", "light_fence",  "heavy_fence", "full_fence", "acquire fence",
      "release fence",    "drain_stores", "wait",        "wake_all",   "the real barrier"};
  return kNames[static_cast<unsigned>(kind)];
}

std::string text_of(const Site& site) {
  std::string out = site.file + ":" + std::to_string(site.line) + " " + name_of(site.kind);
  if (site.kind <= Kind::kCompareExchange) out += " " + name_of(site.order);
  return out;
}

}  // namespace muster::model
