#include "sim/coherence/tables.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace muster::coherence {
namespace {

// A column of --csv, and of the table where it has a width.
struct Column {
  std::string name;
  std::string value;
  int width = 0;
};

std::string word(const std::string& level) {
  std::string out;
  for (const char letter : level) out += letter == ' ' ? '_' : letter;
  return out;
}

// All means are for one processor and one episode.
std::vector<Column> columns(const Machine& machine, const Experiment& experiment,
                            const Outcome& outcome) {
  Counts sum(machine.levels.size() + 1);
  for (const Counts& counts : outcome.processors) sum.add(counts);
  const double per = static_cast<double>(experiment.threads) * experiment.episodes;
  const auto mean = [&](std::uint64_t count) {
    return fmt::format("{:.3f}", static_cast<double>(count) / per);
  };
  std::vector<Column> out{
      {"machine", machine.name},
      {"construct", experiment.construct == Construct::kBarrier ? "barrier" : "parallel"},
      {"barrier", experiment.published.empty() ? name_of(experiment.barrier) : experiment.published,
       20},
      {"threads", fmt::format("{}", experiment.threads), 8},
      {"episodes", fmt::format("{}", experiment.episodes)},
      {"delay_us", fmt::format("{}", experiment.delay_us)},
      {"jitter", fmt::format("{}", experiment.jitter)},
      {"seed", fmt::format("{}", experiment.seed)},
      {"overhead_us", fmt::format("{:.4f}", outcome.overhead_us), 12},
      {"episode_us", fmt::format("{:.4f}", outcome.episode_us)},
      {"misses", mean(sum.misses()), 9},
      {"sc_passes", mean(sum.conditional_passes), 10},
      {"sc_fails", mean(sum.conditional_fails), 9},
      {"compare_fails", mean(sum.compare_fails)},
      {"invalidations", mean(sum.invalidations), 14},
      {"retries", mean(sum.retries)},
      {"prefetches", mean(sum.prefetches)},
      {"loads", mean(sum.loads)},
      {"polls_passed_over", mean(sum.polls_passed_over)},
      {"stores", mean(sum.stores)},
      {"node_hits", mean(sum.node_hits)},
  };
  for (std::size_t i = 0; i <= machine.levels.size(); ++i) {
    const std::string place = i < machine.levels.size() ? word(machine.levels[i].name) : "memory";
    out.push_back({"reads_from_" + place, mean(sum.read_misses[i])});
    out.push_back({"ownership_from_" + place, mean(sum.ownership_misses[i])});
  }
  for (const World::Occupancy& links : outcome.occupancies) {
    const auto share = [&](double cycles) {
      return fmt::format("{:.4f}", outcome.run_cycles > 0
                                       ? cycles / static_cast<double>(outcome.run_cycles)
                                       : 0.0);
    };
    const auto count = static_cast<double>(links.links > 0 ? links.links : 1);
    out.push_back({"occupied_" + word(links.name), share(static_cast<double>(links.sum) / count)});
    out.push_back({"most_occupied_" + word(links.name), share(static_cast<double>(links.most))});
  }
  return out;
}

void print_line(const std::vector<Column>& all, std::string Column::* field, bool csv) {
  std::string line;
  for (const Column& column : all) {
    if (csv) {
      line += (line.empty() ? "" : ",") + column.*field;
    } else if (column.width > 0) {
      line += fmt::format("{:>{}}", column.*field, column.width);
    }
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

void print_head(const Machine& machine, const Experiment& experiment, bool csv) {
  if (!csv) {
    fmt::print("{}\n", machine.title);
    fmt::print(
        "modelled; {} episodes, {} us apart, seed {}; misses leave the node; counts are means for "
        "a processor\n",
        experiment.episodes, experiment.delay_us, experiment.seed);
  }
  Outcome nothing;
  for (const Level& level : machine.levels) nothing.occupancies.push_back({.name = level.name});
  nothing.occupancies.insert(nothing.occupancies.begin(), {.name = "ports"});
  nothing.occupancies.push_back(
      {.name = machine.coherence == Coherence::kSnooping ? "address bus" : "homes"});
  print_line(columns(machine, experiment, nothing), &Column::name, csv);
}

void print_run(const Machine& machine, const Experiment& experiment, const Outcome& outcome,
               bool csv) {
  print_line(columns(machine, experiment, outcome), &Column::value, csv);
}

}  // namespace muster::coherence
