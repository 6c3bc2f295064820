// syncbench: what each OpenMP synchronization construct costs. Options, units and output names are
// those of EPCC's syncbench 4.0; see README.md.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "epcc/command_line.h"
#include "epcc/constructs.h"
#include "epcc/delay.h"
#include "epcc/measure.h"
#include "epcc/openmp_runtime.h"
#include "epcc/output.h"

namespace {

std::string known_names() {
  std::string names = "ALL";
  for (const epcc::Construct& c : epcc::constructs()) names += fmt::format(", {}", c.name);
  return names;
}

// The constructs called for, in the order of the table, whatever order they were named in.
std::vector<const epcc::Construct*> select(const epcc::CommandLine& line,
                                           const std::vector<std::string>& names) {
  std::vector<bool> wanted(epcc::constructs().size(), names.empty());
  for (const std::string& name : names) {
    if (name == "ALL" || name == "all") {
      wanted.assign(wanted.size(), true);
    } else if (const epcc::Construct* found = epcc::find_construct(name)) {
      wanted[static_cast<std::size_t>(found - epcc::constructs().data())] = true;
    } else {
      line.bad_input(fmt::format("--measureonly: no benchmark is called '{}'; known: {}", name,
                                 known_names()));
    }
  }
  std::vector<const epcc::Construct*> selected;
  for (const epcc::Construct& c : epcc::constructs()) {
    if (wanted[static_cast<std::size_t>(&c - epcc::constructs().data())]) selected.push_back(&c);
  }
  return selected;
}

std::vector<epcc::Result> run(const std::vector<const epcc::Construct*>& selected,
                              const epcc::Settings& settings) {
  std::map<const epcc::Reference*, epcc::Timing> references;  // each measured once, when needed
  std::vector<epcc::Result> results;
  for (const epcc::Construct* c : selected) {
    if (!references.contains(c->reference)) {
      references[c->reference] = epcc::measure(c->reference->body, settings);
    }
    epcc::Result r{.construct = c,
                   .test = epcc::measure(c->body, settings),
                   .reference = references[c->reference],
                   .overhead_us = {}};
    r.overhead_us = epcc::overhead(r.test.time_us, r.reference.time_us);
    results.push_back(r);
  }
  return results;
}

}  // namespace

int main(int argc, char** argv) try {
  epcc::Settings settings;
  std::vector<std::string> names;
  std::string format = "text";

  epcc::CommandLine line("Overheads of OpenMP synchronization constructs, by EPCC's method.",
                         "syncbench");
  line.number("--outer-repetitions", settings.outer_repetitions, "timed runs of each benchmark", 2,
              1e6);
  line.number("--test-time", settings.test_time_us, "least length of a run, microseconds", 1e-3,
              1e9);
  line.number("--delay-time", settings.delay_time_us,
              "computation inside each construct, microseconds", 0, 1e6);
  line.list("--measureonly", names, "benchmarks to run, comma-separated: " + known_names(), "ALL");
  line.choice("--format", format, "how to print the results", {"text", "json", "csv"});
  line.parse_or_exit(argc, argv);
  const auto selected = select(line, names);

  settings.threads = epcc::team_size();
  settings.delay_iterations = std::lround(settings.delay_time_us * epcc::delay_iterations_per_us());
  const epcc::Report report{
      .settings = settings, .runtime = epcc::openmp_runtime(), .results = run(selected, settings)};
  if (format == "json") {
    epcc::print_json(report);
  } else if (format == "csv") {
    epcc::print_csv(report);
  } else {
    epcc::print_text(report);
  }
  return 0;
} catch (const std::exception& error) {
  return epcc::failed("syncbench", error);
}
