// `muster run`: sets the environment and executes the program.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "load/missing_list.h"
#include "options/table.h"
#include "platform/optional_calls.h"
#include "preload/launcher/commands.h"
#include "preload/launcher/elf_file.h"
#include "preload/launcher/find_library.h"
#include "preload/launcher/preload_list.h"
#include "preload/launcher/program_lookup.h"
#include "preload/launcher/program_words.h"
#include "preload/launcher/secure_execution.h"
#include "preload/launcher/setting_flags.h"
#include "preload/launcher/shell_quote.h"
#include "preload/launcher/thread_flag.h"

namespace muster::launcher {
namespace {

struct RunRequest {
  SettingFlags settings;
  ThreadFlag threads;
  bool dry_run = false;
};

void print_dry_run(const Variables& environment, const std::vector<std::string>& command) {
  std::string line;
  for (const auto& [name, value] : environment) line += shell_assignment(name, value) + " ";
  for (const std::string& word : command) line += shell_quote(word) + " ";
  line.back() = '\n';
  fmt::print("{}", line);
}

// Returns only if the program cannot be started.
int execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  fmt::print(stderr, "muster run: {}: {}\n", command[0], std::strerror(reason));
  // If the interpreter of a script is missing, the script exists and cannot be executed.
  const bool exists =
      command[0].find('/') != std::string::npos && access(command[0].c_str(), F_OK) == 0;
  return reason == ENOENT && !exists ? kNotFound : kCannotExecute;
}

// If the library cannot be preloaded into the program, no report will be written.
void warn_if_nothing_is_preloaded(const std::string& command) {
  const Program program = look_up(command);
  if (!program.problem.empty()) return;  // reported after execvp
  const auto file = read_elf(program.file);
  std::string why;
  if (file && file->interpreter.empty()) {
    why = "it is linked statically";
  } else if (const SecureExecution secure = check_secure_execution(program.file);
             secure.preload_ignored) {
    why = secure.why;
  }
  if (why.empty()) return;
  fmt::print(stderr, "muster run: {}: {}, so nothing is preloaded and no report written\n",
             program.file.string(), why);
}

// A child process makes the calls at first use; those that ended it are missing.
void tell_of_filter() {
  {
    const OptionalCalls first;
  }
  std::string calls;
  for (const MissingItem& item : list_missing({})) {
    const bool is_filtered = item.error != nullptr && std::strcmp(item.error, "ECANCELED") == 0;
    if (is_filtered) calls += (calls.empty() ? "" : ", ") + std::string(item.what);
  }
  if (calls.empty()) return;
  fmt::print(stderr, "muster run: a filter would end the program for {}: Muster does without\n",
             calls);
}

int run(const RunRequest& request, const std::vector<std::string>& command) {
  Variables environment;
  std::string problem = request.settings.collect(environment);
  if (problem.empty()) problem = request.threads.problem();
  if (!problem.empty()) {
    fmt::print(stderr, "muster run: {}\n", problem);
    return kUsage;
  }
  if (command.empty()) {
    fmt::print(stderr, "muster run: no command; write it after --\n");
    return kUsage;
  }
  const auto library = find_library();
  if (!library) {
    fmt::print(stderr, "muster run: {}\n", library_missing());
    return kLauncherFailed;
  }
  const char* already = std::getenv("LD_PRELOAD");
  const auto preload = prepend_preload(library->string(), already == nullptr ? "" : already);
  if (!preload) {
    fmt::print(stderr, "muster run: {}: the loader takes no spaces or colons in LD_PRELOAD\n",
               shell_quote(library->string()));
    return kLauncherFailed;
  }
  environment.insert(environment.begin(), {"LD_PRELOAD", *preload});
  const std::string threads = request.threads.set(environment, FactSources::own());
  if (!threads.empty() && value_in_force(Setting::verbose, environment) == "1") {
    fmt::print(stderr, "muster run: {}\n", threads);
  }
  if (request.dry_run) {
    print_dry_run(environment, command);
    return 0;
  }
  if (!value_in_force(Setting::report, environment).empty())
    warn_if_nothing_is_preloaded(command.front());
  tell_of_filter();
  // exec keeps the process id. By it the library distinguishes the program launched here from its children.
  environment.emplace_back(kRunPidVariable, std::to_string(getpid()));
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  return execute(command);
}

}  // namespace

void add_run(CLI::App& app, const WordsAfterDashes& after, int& status) {
  CLI::App* command = app.add_subcommand("run", "Run a program with its barriers replaced.");
  command->footer(
      "The program and its arguments follow: muster run [OPTIONS] -- CMD...\n"
      "Exit status: the program's; 2 usage error, 125 no libmuster.so, 126 it cannot be executed, "
      "127 it is not found.\n"
      "Examples:\n"
      "  muster run -- ./app\n"
      "  muster run --report report.json --wait block -- mpirun -n 4 ./app\n"
      "  muster run --dry-run -- ./app");
  auto request = std::make_shared<RunRequest>();
  request->settings.add_to(*command);
  request->threads.add_to(*command);
  command->add_flag("--dry-run", request->dry_run, "Print what would be run, and do not run it.");
  take_program(*command);
  command->callback([request, command, after, &status] {
    const auto words = program_words(*command, after);
    status = words ? run(*request, *words) : kUsage;
  });
}

}  // namespace muster::launcher
