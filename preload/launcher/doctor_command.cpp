// `muster doctor`: whether Muster would work on a program, and if not, why.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "load/load_sensor.h"
#include "platform/clock.h"
#include "preload/launcher/commands.h"
#include "preload/launcher/diagnosis.h"
#include "preload/launcher/doctor_json.h"
#include "preload/launcher/find_library.h"
#include "preload/launcher/load_rows.h"
#include "preload/launcher/program_words.h"
#include "preload/launcher/survey.h"
#include "preload/launcher/thread_facts.h"

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

void print_blas(const std::string& path, const std::string& package) {
  print_row("blas", fmt::format("{}{}: OpenBLAS with pthreads, not OpenMP: yields only", path,
                                in_package(package)));
}

// What is in a tree of files, without a verdict.
void print_found(const Survey& found) {
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
  for (const BlasFound& entry : found.blas) print_blas(entry.path.string(), entry.package);
  for (const std::string& problem : found.problems) print_row("note", problem);
  if (found.works()) {
    print_row("note", "an object that is opened by dlmopen is not reached; the report tells");
  }
}

void print(const Diagnosis& diagnosis, const LoadSnapshot& load, const ThreadNumber& threads) {
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
  for (const auto& path : diagnosis.blas) print_blas(path.string(), "");
  for (const auto& folder : diagnosis.package_folders) print_row("packages", folder.string());
  if (!diagnosis.package_folders.empty()) print_found(diagnosis.packages);
  for (const std::string& preload : diagnosis.preloads) print_row("preload", preload);
  print_row("load", load_row(load));
  print_row("threads", fmt::format("{} by --threads auto: {}", threads.threads, threads.reason));
  for (const std::string& row : missing_rows(list_missing(load))) print_row("missing", row);
  for (const std::string& note : diagnosis.notes) print_row("note", note);
  print_row("verdict", diagnosis.verdict);
}

void print_json(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int examine_files(const std::vector<std::string>& names, bool as_json) {
  for (const std::string& name : names) {
    if (is_to_be_surveyed(name)) continue;
    fmt::print(stderr, "muster doctor: {}: no folder and no shared object, as the first one is\n",
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
  if (as_json) {
    print_json(doctor_json(found, verdict_on(found)));
  } else {
    print_found(found);
    print_row("verdict", verdict_on(found));
  }
  return found.works() ? kWorks : kWillNotWork;
}

int examine_program(const std::string& name, bool as_json) {
  const Diagnosis diagnosis = diagnose(name);
  process_load_sensor().look(monotonic_ns(), Files::kOpen);
  try_everything();
  const LoadSnapshot load = process_load_sensor().last();
  const ThreadNumber threads = number_of_threads(read_thread_facts(FactSources::own()));
  if (as_json) {
    print_json(doctor_json(diagnosis, load_row(load), threads, missing_rows(list_missing(load))));
  } else {
    print(diagnosis, load, threads);
  }
  return diagnosis.works ? kWorks : kWillNotWork;
}

}  // namespace

void add_doctor(CLI::App& app, const WordsAfterDashes& after, int& status) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Check whether Muster would work on a program, or on what is in a folder.");
  command->footer(
      "The program and its arguments follow, as for muster run: muster doctor [OPTIONS] -- CMD...\n"
      "Or folders and shared objects, as a Python environment's: muster doctor PATH...\n"
      "Exit status: 0 works, 1 will not work or nothing to replace, 2 usage error.\n"
      "Examples:\n"
      "  muster doctor ./app\n"
      "  muster doctor venv/lib/python3.11/site-packages");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "As one JSON object.");
  take_program(*command);
  command->callback([as_json, command, after, &status] {
    const auto words = program_words(*command, after);
    status = kUsage;
    if (!words) return;
    if (words->empty()) {
      fmt::print(stderr, "muster doctor: no command; write it after --\n");
    } else if (is_to_be_surveyed(words->front())) {
      status = examine_files(*words, *as_json);
    } else {
      status = examine_program(words->front(), *as_json);
    }
  });
}

}  // namespace muster::launcher
