// `muster doctor`: will it work, and if not, why.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "platform/clock.h"
#include "preload/launcher/commands.h"
#include "preload/launcher/diagnosis.h"
#include "preload/launcher/load_rows.h"
#include "waiting/load_sensor.h"

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
  process_load_sensor().look(monotonic_ns());
  try_everything();
  const LoadSnapshot load = process_load_sensor().last();
  print_row("load", load_row(load));
  for (const std::string& row : missing_rows(list_missing(load))) print_row("missing", row);
  for (const std::string& note : diagnosis.notes) print_row("note", note);
  print_row("verdict", diagnosis.verdict);
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("doctor", "Tell whether Muster would work on a program.");
  command->footer("Exit status: 0 works, 1 will not work or nothing to replace, 2 usage error.");
  auto name = std::make_shared<std::string>();
  command->add_option("CMD", *name, "The program; looked up in PATH.")->required();
  command->callback([name, &status] {
    const Diagnosis diagnosis = diagnose(*name);
    print(diagnosis);
    status = diagnosis.works ? kWorks : kWillNotWork;
  });
}

}  // namespace muster::launcher
