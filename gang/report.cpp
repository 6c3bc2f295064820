// See report.h.
#include "gang/report.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace gang {
namespace {

const char* name_of(Mechanism mechanism) {
  return mechanism == Mechanism::kPriorities ? "priorities" : "signals";
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

struct Sums {
  double turns = 0;
  double cpu = 0;
};

Sums sums_of(const Report& report) {
  Sums sums;
  for (const GangUsage& gang : report.gangs) {
    sums.turns += gang.turn_seconds;
    sums.cpu += gang.cpu_seconds;
  }
  return sums;
}

std::string text_of(const Report& report) {
  const Sums sums = sums_of(report);
  std::string text =
      fmt::format("gang: {} gangs by {}, slices of {:g} ms, {:.3f} s, own CPU time {:.3f} s\n",
                  report.gangs.size(), name_of(report.mechanism), report.slice_seconds * 1e3,
                  report.seconds, report.own_cpu_seconds);
  text += fmt::format("gang: {:>6} {:>6} {:>9} {:>6} {:>9} {:>6} {:>6}  {}\n", "weight", "turns",
                      "turns s", "share", "CPU s", "share", "status", "command");
  for (const GangUsage& gang : report.gangs) {
    text += fmt::format("gang: {:>6g} {:>6} {:>9.3f} {:>4.0f} % {:>9.3f} {:>4.0f} % {:>6}  {}\n",
                        gang.weight, gang.turns, gang.turn_seconds,
                        100 * share(gang.turn_seconds, sums.turns), gang.cpu_seconds,
                        100 * share(gang.cpu_seconds, sums.cpu), gang.status, gang.command);
  }
  return text;
}

std::string json_of(const Report& report) {
  const Sums sums = sums_of(report);
  nlohmann::ordered_json json = {{"by", name_of(report.mechanism)},
                                 {"slice_s", report.slice_seconds},
                                 {"seconds", report.seconds},
                                 {"own_cpu_seconds", report.own_cpu_seconds},
                                 {"gangs", nlohmann::ordered_json::array()}};
  for (const GangUsage& gang : report.gangs) {
    json["gangs"].push_back({{"command", gang.command},
                             {"weight", gang.weight},
                             {"turns", gang.turns},
                             {"turn_seconds", gang.turn_seconds},
                             {"turn_share", share(gang.turn_seconds, sums.turns)},
                             {"cpu_seconds", gang.cpu_seconds},
                             {"cpu_share", share(gang.cpu_seconds, sums.cpu)},
                             {"status", gang.status}});
  }
  // A command may hold bytes that are no text.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string write_report(const Report& report, const std::string& to) {
  if (to == "stderr") {
    fmt::print(stderr, "{}", text_of(report));
    return {};
  }
  const std::string text = to.ends_with(".json") ? json_of(report) : text_of(report);
  std::FILE* file = std::fopen(to.c_str(), "we");
  if (file == nullptr) return fmt::format("{}: {}", to, std::strerror(errno));
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !whole) return fmt::format("{}: {}", to, std::strerror(errno));
  return {};
}

}  // namespace gang
