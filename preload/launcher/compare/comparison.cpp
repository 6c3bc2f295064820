#include "preload/launcher/compare/comparison.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "platform/cpus.h"
#include "preload/launcher/compare/findings.h"

namespace muster::launcher {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;

ordered_json json_of(const LoadCase& load) {
  return {{"name", name_of(load)},
          {"threads", load.threads},
          {"hogs", load.hogs},
          {"quota", load.quota},
          {"copies", load.copies}};
}

ordered_json json_of(const Variant& variant) {
  return {{"name", variant.name}, {"muster", variant.is_muster}, {"variables", variant.variables}};
}

ordered_json json_of(const Run& run) {
  return {{"round", run.round},
          {"case", run.load},
          {"variant", run.variant},
          {"elapsed_s", run.elapsed_s},
          {"cpu_s", run.cpu_s},
          {"figure", run.figure ? ordered_json(*run.figure) : ordered_json(nullptr)},
          {"status", run.status},
          {"timed_out", run.timed_out},
          {"stdout", run.output},
          {"stderr", run.errors},
          {"file", run.file}};
}

LoadCase load_of(const ordered_json& json) {
  return {.threads = json.at("threads"),
          .hogs = json.at("hogs"),
          .quota = json.at("quota"),
          .copies = json.at("copies")};
}

Variant variant_of(const ordered_json& json) {
  return {
      .name = json.at("name"), .is_muster = json.at("muster"), .variables = json.at("variables")};
}

Run run_of(const ordered_json& json) {
  Run run{.round = json.at("round"),
          .load = json.at("case"),
          .variant = json.at("variant"),
          .elapsed_s = json.at("elapsed_s"),
          .cpu_s = json.at("cpu_s"),
          .figure = {},
          .status = json.at("status"),
          .timed_out = json.at("timed_out"),
          .output = json.at("stdout"),
          .errors = json.at("stderr"),
          .file = json.at("file")};
  if (!json.at("figure").is_null()) run.figure = json.at("figure").get<double>();
  return run;
}

Comparison comparison_of(const ordered_json& json) {
  Comparison found;
  if (json.at("format") != kFormat) throw std::runtime_error("of another format");
  found.command = json.at("command");
  found.started = json.at("started");
  const ordered_json& machine = json.at("machine");
  found.machine = {machine.at("cpu"), machine.at("cpus"), machine.at("kernel"),
                   machine.at("load_average")};
  found.rounds = json.at("rounds");
  found.warm_up = json.at("warm_up");
  found.timeout_s = json.at("timeout_s");
  found.input = json.at("input");
  found.pattern = json.at("figure").at("pattern");
  found.more_is_better = json.at("figure").at("more_is_better");
  for (const ordered_json& load : json.at("cases")) found.loads.push_back(load_of(load));
  for (const ordered_json& variant : json.at("variants"))
    found.variants.push_back(variant_of(variant));
  for (const ordered_json& run : json.at("runs")) {
    found.runs.push_back(run_of(run));
    const Run& last = found.runs.back();
    if (last.load >= found.loads.size() || last.variant >= found.variants.size()) {
      throw std::runtime_error("a run of no case or variant");
    }
  }
  const ordered_json& replaced = json.at("replaced");
  found.reported = replaced.at("reported");
  found.arrivals_replaced = replaced.at("arrivals");
  found.regions_folded = replaced.at("regions_folded");
  return found;
}

ordered_json json_of(const Findings& findings) {
  ordered_json rows = ordered_json::array();
  for (const VariantRow& row : findings.rows) {
    rows.push_back({{"case", row.load},
                    {"variant", row.variant},
                    {"runs", row.runs},
                    {"timed_out", row.timed_out},
                    {"median", row.median},
                    {"least", row.least},
                    {"most", row.most},
                    {"cpu_s", row.cpu_s}});
    if (!row.gain) continue;
    rows.back()["gain"] = {{"over", row.over},
                           {"value", row.gain->value},
                           {"low", row.gain->low},
                           {"high", row.gain->high}};
  }
  return {{"rows", rows},
          {"verdict", findings.verdict},
          {"notes", findings.notes},
          {"same_results", findings.same_results}};
}

}  // namespace

std::string name_of(const LoadCase& load) {
  std::string name;
  const auto add = [&](const std::string& part) { name += (name.empty() ? "" : ", ") + part; };
  if (load.threads != 0)
    add(fmt::format("{} thread{}", load.threads, load.threads == 1 ? "" : "s"));
  if (load.hogs != 0) add(fmt::format("{} hog{}", load.hogs, load.hogs == 1 ? "" : "s"));
  if (load.quota > 0) add(fmt::format("quota of {:g}", load.quota));
  if (load.copies > 1) add(fmt::format("{} copies", load.copies));
  if (load.hogs == 0 && load.quota <= 0 && load.copies <= 1) add("idle");
  return name;
}

bool Comparison::has(unsigned round, std::size_t load, std::size_t variant) const {
  for (const Run& run : runs) {
    if (run.round == round && run.load == load && run.variant == variant) return true;
  }
  return false;
}

Comparison read_comparison(const std::filesystem::path& file) {
  try {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error("cannot be read");
    return comparison_of(ordered_json::parse(stream));
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("{}: no file of muster compare: {}", file.string(), error.what()));
  }
}

void write_whole(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path temporary = fmt::format("{}.{}.tmp", file.string(), getpid());
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << text << std::flush;
    if (!stream.good())
      throw std::runtime_error(fmt::format("cannot write {}", temporary.string()));
  }
  std::filesystem::rename(temporary, file);
}

std::string comparison_json(const Comparison& comparison, bool with_findings) {
  ordered_json loads = ordered_json::array();
  ordered_json variants = ordered_json::array();
  ordered_json runs = ordered_json::array();
  for (const LoadCase& load : comparison.loads) loads.push_back(json_of(load));
  for (const Variant& variant : comparison.variants) variants.push_back(json_of(variant));
  for (const Run& run : comparison.runs) runs.push_back(json_of(run));
  const Machine& machine = comparison.machine;
  ordered_json whole = {
      {"format", kFormat},
      {"muster", MUSTER_VERSION},
      {"command", comparison.command},
      {"started", comparison.started},
      {"machine",
       {{"cpu", machine.cpu},
        {"cpus", machine.cpus},
        {"kernel", machine.kernel},
        {"load_average", machine.load_average}}},
      {"rounds", comparison.rounds},
      {"warm_up", comparison.warm_up},
      {"timeout_s", comparison.timeout_s},
      {"input", comparison.input},
      {"figure", {{"pattern", comparison.pattern}, {"more_is_better", comparison.more_is_better}}},
      {"replaced",
       {{"reported", comparison.reported},
        {"arrivals", comparison.arrivals_replaced},
        {"regions_folded", comparison.regions_folded}}},
      {"complete", comparison.is_complete()},
      {"cases", loads},
      {"variants", variants},
      {"runs", runs}};
  if (with_findings) whole["findings"] = json_of(find(comparison));
  // A program's name may be in any encoding.
  return whole.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text =
      "round,case,threads,hogs,quota,copies,variant,elapsed_s,cpu_s,figure,status,timed_out,stdout,"
      "stderr,file\n";
  for (const Run& run : comparison.runs) {
    const LoadCase& load = comparison.loads[run.load];
    text += fmt::format("{},\"{}\",{},{},{:g},{},\"{}\",{:.6f},{:.6f},{},{},{:d},{},{},{}\n",
                        run.round, name_of(load), load.threads, load.hogs, load.quota, load.copies,
                        comparison.variants[run.variant].name, run.elapsed_s, run.cpu_s,
                        run.figure ? fmt::format("{:g}", *run.figure) : "", run.status,
                        run.timed_out, run.output, run.errors, run.file);
  }
  return text;
}

Machine this_machine() {
  Machine machine;
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; machine.cpu.empty() && std::getline(cpus, line);) {
    if (line.rfind("model name", 0) == 0) machine.cpu = line.substr(line.find(':') + 2);
  }
  machine.cpus = allowed_cpus();
  utsname kernel{};
  uname(&kernel);
  machine.kernel = fmt::format("{} {}, {}", kernel.sysname, kernel.release, kernel.machine);
  getloadavg(&machine.load_average, 1);
  return machine;
}

}  // namespace muster::launcher
