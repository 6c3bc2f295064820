// `muster doctor`: whether Muster would work on a program, and if not, why.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "load/load_sensor.h"
#include "platform/clock.h"
#include "preload/launcher/commands.h"
#include "preload/launcher/diagnosis.h"
#include "preload/launcher/find_library.h"
#include "preload/launcher/load_rows.h"
#include "preload/launcher/survey.h"

namespace muster::launcher {
namespace {

void print_row(const char* label, const std::string& text) {
  fmt::print("{:<10}{}\n", label, text);
}

void print_runtimes(const std::vector<OpenmpRuntime>& runtimes) {
  if (runtimes.empty()) print_row("openmp", "none linked");
  for (const OpenmpRuntime& runtime : runtimes) {
    print_row(
        "openmp",
        fmt::format("{}{}{} ({}): {}", name_of(runtime.kind), runtime.version.empty() ? "" : " ",
                    runtime.version, runtime.path.string(),
                    is_replaced(runtime.kind) ? "replaced" : "not replaced, passes through"));
  }
}

void print(const Diagnosis& diagnosis) {
  for (const std::string& script : diagnosis.program.scripts) print_row("script", script);
  if (!diagnosis.description.empty()) {
    print_row("program",
              fmt::format("{} ({})", diagnosis.program.file.string(), diagnosis.description));
    print_row("loader", diagnosis.loader.empty() ? "none" : diagnosis.loader);
    print_runtimes(diagnosis.runtimes);
    if (diagnosis.importers.empty()) print_row("imports", "no entry point that Muster replaces");
  }
  for (const Importer& importer : diagnosis.importers) {
    print_row("imports",
              fmt::format("{}: {}", importer.path.string(), fmt::join(importer.entries, " ")));
  }
  for (const std::string& preload : diagnosis.preloads) print_row("preload", preload);
  process_load_sensor().look(monotonic_ns(), Files::kOpen);
  try_everything();
  const LoadSnapshot load = process_load_sensor().last();
  print_row("load", load_row(load));
  for (const std::string& row : missing_rows(list_missing(load))) print_row("missing", row);
  for (const std::string& note : diagnosis.notes) print_row("note", note);
  print_row("verdict", diagnosis.verdict);
}

std::string in_package(const std::string& package) {
  return package.empty() ? "" : fmt::format(", package {}", package);
}

std::string objects(unsigned count) {
  return fmt::format("{} object{}", count, count == 1 ? "" : "s");
}

std::string verdict_on(const Survey& found) {
  if (found.reached > 0) {
    return fmt::format("works: Muster reaches {} of {} OpenMP runtimes here.", found.reached,
                       found.runtimes.size() + found.inside.size());
  }
  if (!found.missing.empty()) {
    return "works: the runtimes that are called here lie elsewhere, where Muster reaches them.";
  }
  if (found.runtimes.empty() && found.inside.empty()) return "nothing to replace: no OpenMP here.";
  return "will not work: Muster reaches none of the OpenMP runtimes here.";
}

void print(const Survey& found) {
  print_row("looked at", objects(found.objects));
  for (const RuntimeFound& entry : found.runtimes) {
    const OpenmpRuntime& runtime = entry.runtime;
    print_row("openmp", fmt::format("{}{}{} ({}{}): {}, called by {} here", name_of(runtime.kind),
                                    runtime.version.empty() ? "" : " ", runtime.version,
                                    runtime.path.string(), in_package(entry.package),
                                    entry.problem.empty() ? "replaced" : entry.problem,
                                    objects(entry.callers)));
  }
  for (const StaticFound& entry : found.inside) {
    print_row("static", fmt::format("{}{}: {} is linked into it: untouched", entry.path.string(),
                                    in_package(entry.package), name_of(entry.kind)));
  }
  for (const auto& [name, count] : found.missing) {
    print_row("elsewhere", fmt::format("{}: called by {} here", name, objects(count)));
  }
  for (const std::string& problem : found.problems) print_row("note", problem);
  if (found.works()) {
    print_row("note",
              "an object that is opened with RTLD_DEEPBIND or by dlmopen is not reached; "
              "the report tells");
  }
  print_row("verdict", verdict_on(found));
}

int examine_files(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (is_to_be_surveyed(name)) continue;
    fmt::print(stderr, "muster doctor: {}: no folder and no shared object; one program at a time\n",
               name);
    return kUsage;
  }
  const auto library = find_library();
  const auto muster = library ? read_elf(*library) : std::nullopt;
  if (!muster) {
    fmt::print(stderr, "muster doctor: {}\n", library_missing());
    return kWillNotWork;
  }
  const Survey found = survey({names.begin(), names.end()}, *muster);
  print(found);
  return found.works() ? kWorks : kWillNotWork;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Check whether Muster would work on a program, or on what is in a folder.");
  command->footer("Exit status: 0 works, 1 will not work or nothing to replace, 2 usage error.");
  auto names = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("CMD|PATH", *names,
                   "A program, looked up in PATH; or folders and shared objects, as a Python "
                   "environment's.")
      ->required();
  command->callback([names, &status] {
    if (names->size() > 1 || is_to_be_surveyed(names->front())) {
      status = examine_files(*names);
      return;
    }
    const Diagnosis diagnosis = diagnose(names->front());
    print(diagnosis);
    status = diagnosis.works ? kWorks : kWillNotWork;
  });
}

}  // namespace muster::launcher
