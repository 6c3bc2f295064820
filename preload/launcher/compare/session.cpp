#include "preload/launcher/compare/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "options/table.h"
#include "preload/launcher/compare/competing_load.h"
#include "preload/launcher/compare/output_files.h"
#include "preload/launcher/compare/program_run.h"
#include "preload/launcher/compare/progress.h"
#include "preload/launcher/preload_list.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

extern "C" char** environ;

// This process's environment, with changes.
class Environment {
 public:
  Environment() {
    for (char** at = environ; *at != nullptr; ++at) {
      const std::string entry = *at;
      const std::size_t equals = entry.find('=');
      if (equals != std::string::npos) values_[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
  }
  std::string get(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }
  void set(const std::string& name, const std::string& value) { values_[name] = value; }
  void unset(const std::string& name) { values_.erase(name); }
  std::vector<std::string> entries() const {
    std::vector<std::string> list;
    for (const auto& [name, value] : values_) list.push_back(fmt::format("{}={}", name, value));
    return list;
  }

 private:
  std::map<std::string, std::string> values_;
};

std::string without_muster(const std::string& preload) {
  std::string list;
  for (const std::string& entry : split_preload(preload)) {
    if (fs::path(entry).filename() != "libmuster.so") list += (list.empty() ? "" : ":") + entry;
  }
  return list;
}

// `report` is where Muster's report goes; empty: none, unless the variant has one.
std::vector<std::string> environment_of(const Variant& variant, const LoadCase& load,
                                        const fs::path& library, const fs::path& report) {
  Environment found;
  std::string preload = without_muster(found.get("LD_PRELOAD"));
  if (variant.is_muster) {
    const auto with_muster = prepend_preload(library.string(), preload);
    if (!with_muster)
      throw std::runtime_error(
          fmt::format("{}: the loader takes no spaces or colons in LD_PRELOAD", library.string()));
    preload = *with_muster;
  }
  preload.empty() ? found.unset("LD_PRELOAD") : found.set("LD_PRELOAD", preload);
  found.unset(option_of(Setting::report).variable);
  found.unset(kRunPidVariable);
  if (load.threads != 0) found.set("OMP_NUM_THREADS", std::to_string(load.threads));
  for (const auto& [name, value] : variant.variables) found.set(name, value);
  if (!report.empty() && variant.is_muster)
    found.set(option_of(Setting::report).variable, report.string());
  return found.entries();
}

class Session {
 public:
  Session(Comparison& comparison, const SessionOptions& options)
      : comparison_(comparison), options_(options), progress_(options.show_progress) {}

  SessionEnd make() {
    fs::create_directories(options_.folder / "runs");
    const auto begin = Clock::now();
    for (unsigned round = 0; round < comparison_.rounds && goes_on(); ++round) {
      const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin).count();
      if (options_.seconds > 0 && round > 0 && elapsed_s >= options_.seconds) break;
      for (std::size_t load = 0; load < comparison_.loads.size() && goes_on(); ++load) {
        if (!is_complete(round, load)) one_round(round, load);
      }
    }
    progress_.clear();
    return end_;
  }

 private:
  bool goes_on() const { return end_.signal == 0 && end_.exec_error == 0; }

  bool is_complete(unsigned round, std::size_t load) const {
    for (std::size_t i = 0; i < comparison_.variants.size(); ++i) {
      if (!comparison_.has(round, load, i)) return false;
    }
    return true;
  }

  // Each variant once, in an order of the round's own, under the same load. Before the first round of this session,
  // warm-up runs.
  void one_round(unsigned round, std::size_t load) {
    const LoadCase& conditions = comparison_.loads[load];
    const Hogs hogs(conditions.hogs);
    const Quota quota(conditions.quota, conditions.copies);
    std::vector<std::size_t> order(comparison_.variants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(round * 1000 + static_cast<unsigned>(load));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    if (!std::exchange(is_warm_[load], true)) {
      for (unsigned i = 0; i < comparison_.warm_up; ++i) {
        for (const std::size_t variant : order) one_run(round, load, variant, quota, true);
      }
    }
    for (const std::size_t variant : order) {
      if (!comparison_.has(round, load, variant)) one_run(round, load, variant, quota, false);
    }
  }

  void one_run(unsigned round, std::size_t load, std::size_t variant, const Quota& quota,
               bool is_warm_up) {
    if (!goes_on()) return;
    const LoadCase& conditions = comparison_.loads[load];
    const Variant& way = comparison_.variants[variant];
    Run run{.round = round, .load = load, .variant = variant};
    run.file = is_warm_up ? "warm-up"
                          : fmt::format("{}_{}_round-{}", file_word(name_of(conditions)),
                                        file_word(way.name), round + 1);
    const fs::path reports = options_.folder / "runs" / "report-%p.json";
    RunRequest request{.command = quota.prefix(),
                       .environment = environment_of(way, conditions, options_.library,
                                                     is_warm_up ? reports : fs::path()),
                       .copies = conditions.copies,
                       .input = comparison_.input,
                       .output = options_.folder / "runs" / run.file,
                       .members = quota.members(),
                       .timeout_s = comparison_.timeout_s};
    request.command.insert(request.command.end(), comparison_.command.begin(),
                           comparison_.command.end());
    progress_.begin(load, variant,
                    fmt::format("{} {}/{}, {}, {}", is_warm_up ? "warm-up" : "round",
                                is_warm_up ? 1 : round + 1,
                                is_warm_up ? comparison_.warm_up : comparison_.rounds,
                                name_of(conditions), way.name));
    const RunOutcome outcome = run_program(request, [&] { progress_.show(comparison_); });
    end_.signal = outcome.interrupted ? caught_signal() : 0;
    end_.exec_error = outcome.exec_error;
    if (!goes_on()) return remove_outputs(request.output, conditions.copies);
    progress_.end(outcome.elapsed_s);
    if (is_warm_up) {
      remove_outputs(request.output, conditions.copies);
      take_reports();
      return;
    }
    keep(std::move(run), outcome, request.output, conditions.copies);
  }

  void keep(Run run, const RunOutcome& outcome, const fs::path& output, unsigned copies) {
    run.elapsed_s = outcome.elapsed_s;
    run.cpu_s = outcome.cpu_s;
    run.timed_out = outcome.timed_out;
    run.status = "0";
    for (const std::string& status : outcome.statuses) {
      if (run.status == "0") run.status = status;
    }
    read_outputs(output, copies, comparison_.pattern, run);
    for (unsigned copy = 0; copy < copies; ++copy) {
      for (const char* ending : {"out", "err"})
        link_if_equal(output_file(output, copy, ending), kept_);
    }
    comparison_.runs.push_back(std::move(run));
    write_whole(options_.folder / kComparisonFile, comparison_json(comparison_, false));
  }

  // What Muster replaced in a warm-up run.
  void take_reports() {
    for (const auto& entry : fs::directory_iterator(options_.folder / "runs")) {
      if (entry.path().filename().string().rfind("report-", 0) != 0) continue;
      std::ifstream stream(entry.path());
      const auto report = nlohmann::json::parse(stream, nullptr, false);
      const auto count = [&](const char* group, const char* field) -> unsigned long long {
        const auto pointer = nlohmann::json::json_pointer(fmt::format("/{}/{}", group, field));
        return report.contains(pointer) && report[pointer].is_number_unsigned()
                   ? report[pointer].get<unsigned long long>()
                   : 0;
      };
      comparison_.reported = true;
      comparison_.arrivals_replaced =
          std::max(comparison_.arrivals_replaced, count("barriers", "replaced"));
      comparison_.regions_folded =
          std::max(comparison_.regions_folded, count("fork_join", "folded"));
      fs::remove(entry.path());
    }
  }

  Comparison& comparison_;
  const SessionOptions& options_;
  Progress progress_;
  SessionEnd end_;
  std::map<std::size_t, bool> is_warm_;  // by load
  KeptFiles kept_;
};

}  // namespace

SessionEnd make_runs(Comparison& comparison, const SessionOptions& options) {
  return Session(comparison, options).make();
}

}  // namespace muster::launcher
