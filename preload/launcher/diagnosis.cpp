#include "preload/launcher/diagnosis.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "options/settings.h"
#include "options/table.h"
#include "preload/launcher/find_library.h"
#include "preload/launcher/linked_libraries.h"
#include "preload/launcher/preload_list.h"
#include "preload/launcher/python_packages.h"
#include "preload/launcher/secure_execution.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_muster(const std::string& path) { return fs::path(path).filename() == "libmuster.so"; }

// As in the library, a bad value means the default.
void check_fork_join(Diagnosis& diagnosis) {
  const char* variable = option_of(Setting::fork_join).variable;
  ForkJoin choice = Settings{}.fork_join;
  const bool asked = kind::ForkJoinName::parse(environment(variable), choice);
  if (choice != ForkJoin::kOff) return;
  diagnosis.notes.push_back(
      fmt::format("{}={}{}: the runtime itself forks and joins parallel regions", variable,
                  kForkJoinNames[static_cast<int>(choice)], asked ? "" : ", the default"));
}

std::vector<std::string> g_complaints;

__attribute__((format(printf, 1, 2))) void keep_complaint(const char* format, ...) {
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  g_complaints.emplace_back(text);
}

// Unknown names and bad values of options, in the words in which the library names them.
std::vector<std::string> problems_of_settings() {
  g_complaints.clear();
  read_settings(environ, keep_complaint);
  return g_complaints;
}

void check_environment(Diagnosis& diagnosis) {
  if (std::string_view(environment("MUSTER")) == "off") {
    diagnosis.problems.emplace_back("MUSTER=off is set, which switches Muster off");
  }
  for (const std::string& problem : problems_of_settings()) diagnosis.notes.push_back(problem);
  check_fork_join(diagnosis);
  if (*environment("OMP_TOOL_LIBRARIES") != '\0' &&
      std::string_view(environment("OMP_TOOL")) != "disabled") {
    diagnosis.notes.emplace_back(
        "OMP_TOOL_LIBRARIES is set: where an OpenMP tool is active, Muster passes everything "
        "through");
  }
}

std::vector<std::string> other_preloads() {
  std::string list = environment("LD_PRELOAD");
  std::ifstream stream("/etc/ld.so.preload");
  list += " " + std::string(std::istreambuf_iterator<char>(stream), {});
  std::replace(list.begin(), list.end(), '\n', ' ');
  std::vector<std::string> entries = split_preload(list);
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_muster), entries.end());
  return entries;
}

// The libraries in LD_PRELOAD only, without Muster: the loader reads /etc/ld.so.preload itself.
std::string preload_without_muster() {
  std::string list;
  for (const std::string& entry : split_preload(environment("LD_PRELOAD"))) {
    if (!is_muster(entry)) list += (list.empty() ? "" : ":") + entry;
  }
  return list;
}

void check_executable(const ElfFile& file, const ElfFile& muster, Diagnosis& diagnosis) {
  const fs::path& path = diagnosis.program.file;
  const bool is_dynamic = !file.interpreter.empty();
  diagnosis.description =
      fmt::format("{}, {}", name_of(file.architecture), is_dynamic ? "dynamic" : "static");
  diagnosis.loader = file.interpreter;
  if (file.architecture != muster.architecture) {
    diagnosis.problems.push_back(fmt::format("it is for {}, libmuster.so for {}",
                                             name_of(file.architecture),
                                             name_of(muster.architecture)));
  }
  if (!is_dynamic && !file.soname.empty()) {
    diagnosis.problems.emplace_back("it is a library, not a program");
    return;
  }
  if (!is_dynamic) {
    diagnosis.problems.emplace_back(
        "it is linked statically: no loader, so nothing can be preloaded");
  }
  if (file.interpreter.find("/ld-musl") != std::string::npos) {
    diagnosis.problems.emplace_back("it runs on musl, libmuster.so on glibc");
  }
  if (const auto kind = runtime_inside(path, file)) {
    diagnosis.problems.push_back(
        fmt::format("{} is linked into it statically: its calls reach no loader", name_of(*kind)));
  }
  if (file.imported.count("__tsan_init") + file.exported.count("__tsan_init") != 0) {
    diagnosis.problems.emplace_back(
        "it is built with ThreadSanitizer, for which Muster passes everything through");
  }
  const SecureExecution secure = check_secure_execution(path);
  if (secure.preload_ignored) {
    diagnosis.problems.push_back(secure.why + ": the loader ignores LD_PRELOAD for it");
  } else if (!secure.why.empty()) {
    diagnosis.notes.push_back("LD_PRELOAD and this program: " + secure.why);
  }
}

void add_importer(const fs::path& path, const ElfFile& file, const ElfFile& muster,
                  Diagnosis& diagnosis) {
  Importer importer{path, {}};
  std::set_intersection(file.imported.begin(), file.imported.end(), muster.exported.begin(),
                        muster.exported.end(), std::back_inserter(importer.entries));
  if (!importer.entries.empty()) diagnosis.importers.push_back(std::move(importer));
}

void check_libraries(const ElfFile& program, const ElfFile& muster, Diagnosis& diagnosis) {
  const LinkedLibraries libraries =
      list_libraries(program.interpreter, diagnosis.program.file, preload_without_muster());
  if (!libraries.problem.empty()) diagnosis.problems.push_back(libraries.problem);
  for (const std::string& name : libraries.missing) {
    diagnosis.problems.push_back(fmt::format("{} is not found, so it does not start at all", name));
  }
  add_importer(diagnosis.program.file, program, muster, diagnosis);
  for (const fs::path& path : libraries.found) {
    const auto file = read_elf(path);
    if (!file) continue;
    if (is_blas_with_threads(*file)) diagnosis.blas.push_back(path);
    if (auto runtime = identify_runtime(path, *file)) {
      diagnosis.runtimes.push_back(std::move(*runtime));
    } else {
      add_importer(path, *file, muster, diagnosis);
    }
  }
}

// Whether a runtime whose barriers Muster replaces defines `entry` first: the loader binds a name to the first
// library that defines it.
bool reaches_replaced(const std::string& entry, const std::vector<OpenmpRuntime>& runtimes) {
  for (const OpenmpRuntime& runtime : runtimes) {
    if (runtime.exported.count(entry) != 0) return is_replaced(runtime.kind);
  }
  return false;
}

bool any_reaches_replaced(
    const Diagnosis& diagnosis,
    bool (*counts)(std::string_view) = [](std::string_view) { return true; }) {
  for (const Importer& importer : diagnosis.importers) {
    for (const std::string& entry : importer.entries) {
      if (counts(entry) && reaches_replaced(entry, diagnosis.runtimes)) return true;
    }
  }
  return false;
}

bool is_barrier(std::string_view entry) {
  constexpr std::string_view kParts[] = {"barrier",     "loop_end",    "sections_end",
                                         "copyprivate", "single_copy", "reduce"};
  const auto has = [entry](std::string_view part) { return entry.find(part) != entry.npos; };
  return std::any_of(std::begin(kParts), std::end(kParts), has) && !has("nowait");
}

std::string what_is_replaced(const Diagnosis& diagnosis) {
  return any_reaches_replaced(diagnosis, is_barrier)
             ? "works: Muster replaces the barriers of this program. `muster compare` tells the "
               "gain."
             : "works, but no linked object calls a barrier: of its regions, Muster replaces fork "
               "and join. `muster compare` tells whether it has any, and the gain.";
}

std::string nothing_to_replace(const Diagnosis& diagnosis) {
  const bool has_packages = !diagnosis.package_folders.empty();
  const bool has_blas = !diagnosis.blas.empty() || !diagnosis.packages.blas.empty();
  if (diagnosis.runtimes.empty()) {
    std::string text = "nothing to replace: no OpenMP runtime is linked";
    if (has_packages) text += ", and Muster reaches none in its Python packages";
    if (has_blas)
      text +=
          ". OpenBLAS is built for pthreads here: it waits in loops of its own, not in OpenMP "
          "barriers";
    return text + (is_python(diagnosis.program.file)
                       ? ". Python loads one with the extension modules that use it; its barriers "
                         "are replaced then."
                       : ". One that the program loads later, with dlopen, would be replaced.");
  }
  if (diagnosis.importers.empty()) {
    return "nothing to replace: no linked object calls an OpenMP entry point that Muster replaces.";
  }
  return fmt::format("nothing to replace: {}, so its calls pass through.",
                     name_of(diagnosis.runtimes.front().kind));
}

void conclude(Diagnosis& diagnosis) {
  const bool linked = any_reaches_replaced(diagnosis);
  diagnosis.works = diagnosis.problems.empty() && (linked || diagnosis.packages.works());
  if (diagnosis.works && linked) {
    diagnosis.verdict = what_is_replaced(diagnosis);
  } else if (diagnosis.works) {
    diagnosis.verdict = fmt::format(
        "works, where Python loads one of these: Muster reaches {} OpenMP runtime{} in its "
        "packages.",
        diagnosis.packages.reached, diagnosis.packages.reached == 1 ? "" : "s");
  } else if (!diagnosis.problems.empty()) {
    diagnosis.verdict = fmt::format("will not work: {}.", fmt::join(diagnosis.problems, "; "));
  } else {
    diagnosis.verdict = nothing_to_replace(diagnosis);
  }
}

void examine(const fs::path& library, Diagnosis& diagnosis) {
  const fs::path& path = diagnosis.program.file;
  const auto muster = read_elf(library);
  const auto program = read_elf(path);
  if (!muster || !program) {
    diagnosis.problems.push_back((muster ? path : library).string() + ": cannot be read as ELF");
    return;
  }
  check_environment(diagnosis);
  check_executable(*program, *muster, diagnosis);
  if (!program->interpreter.empty()) check_libraries(*program, *muster, diagnosis);
  if (!is_python(path)) return;
  diagnosis.package_folders = package_folders(path);
  diagnosis.packages = survey(diagnosis.package_folders, *muster);
}

}  // namespace

Diagnosis diagnose(const std::string& command) {
  Diagnosis diagnosis;
  diagnosis.program = look_up(command);
  diagnosis.preloads = other_preloads();
  const auto library = find_library();
  if (!diagnosis.program.problem.empty()) {
    diagnosis.problems.push_back(diagnosis.program.problem);
  } else if (!library) {
    diagnosis.problems.push_back(library_missing());
  } else {
    examine(*library, diagnosis);
  }
  if (!diagnosis.program.scripts.empty()) {
    diagnosis.notes.emplace_back(
        "a script: programs that it starts inherit the preload; ask for them by name");
  }
  conclude(diagnosis);
  return diagnosis;
}

}  // namespace muster::launcher
