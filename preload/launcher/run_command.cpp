// `muster run`: sets the environment and executes the program.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "preload/launcher/commands.h"
#include "preload/launcher/elf_file.h"
#include "preload/launcher/find_library.h"
#include "preload/launcher/option_flags.h"
#include "preload/launcher/preload_list.h"
#include "preload/launcher/program_lookup.h"
#include "preload/launcher/secure_execution.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct RunRequest {
  std::vector<std::string> values = std::vector<std::string>(std::size(kOptions));
  std::vector<CLI::Option*> flags = std::vector<CLI::Option*>(std::size(kOptions));
  bool dry_run = false;
};

void print_dry_run(const Environment& environment, const std::vector<std::string>& command) {
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

bool wants_report(const Environment& environment) {
  const char* report = option_of(Setting::report).variable;
  for (const auto& [name, value] : environment) {
    if (name == report) return true;
  }
  const char* inherited = std::getenv(report);
  return inherited != nullptr && *inherited != '\0';
}

// The variables set by the flags on the command line. False, with a line on stderr, for a bad value.
bool collect(const RunRequest& request, Environment& environment) {
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    const Option& option = kOptions[i];
    if (request.flags[i] == nullptr || request.flags[i]->count() == 0) continue;
    const std::string value = is_switch(option) ? "1" : request.values[i];
    if (!is_valid(option, value)) {
      fmt::print(stderr, "muster run: {} {}: not a value it takes; allowed: {}\n", flag_of(option),
                 shell_quote(value), option.values);
      return false;
    }
    environment.emplace_back(option.variable, value);
  }
  return true;
}

int run(const RunRequest& request, const std::vector<std::string>& command) {
  Environment environment;
  if (!collect(request, environment)) return kUsage;
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
  if (request.dry_run) {
    print_dry_run(environment, command);
    return 0;
  }
  if (wants_report(environment)) warn_if_nothing_is_preloaded(command.front());
  // exec keeps the process id. By it the library distinguishes the program launched here from its children.
  environment.emplace_back(kRunPidVariable, std::to_string(getpid()));
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  return execute(command);
}

// The help text, with the range of the number in the value and the default, if there are any.
std::string help_of(const Option& option) {
  std::string more = option.range;
  if (*option.fallback != '\0') {
    more += fmt::format("{}default {}", more.empty() ? "" : "; ", option.fallback);
  }
  return more.empty() ? option.help : fmt::format("{} ({})", option.help, more);
}

}  // namespace

void add_run(CLI::App& app, const WordsAfterDashes& after, int& status) {
  CLI::App* command = app.add_subcommand("run", "Run a program with its barriers replaced.");
  command->footer("The program and its arguments follow: muster run [OPTIONS] -- CMD...");
  auto request = std::make_shared<RunRequest>();
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    const Option& option = kOptions[i];
    if (!has_flag(option)) continue;
    const std::string flag = flag_of(option);
    request->flags[i] = is_switch(option)
                            ? command->add_flag(flag, option.help)->disable_flag_override()
                            : command->add_option(flag, request->values[i], help_of(option))
                                  ->type_name(option.values);
  }
  command->add_flag("--dry-run", request->dry_run, "Print what would be run, and do not run it.");
  // Everything from the first word that is not an option belongs to the program.
  command->prefix_command();
  command->callback([request, command, after, &status] {
    std::vector<std::string> words = command->remaining();
    if (!words.empty() && words.front()[0] == '-') {
      fmt::print(stderr, "muster run: {}: no such option; see muster run --help\n",
                 shell_quote(words.front()));
      status = kUsage;
      return;
    }
    if (after) {
      // A `--` after the program's name is one of its arguments.
      if (!words.empty()) words.emplace_back("--");
      words.insert(words.end(), after->begin(), after->end());
    }
    status = run(*request, words);
  });
}

}  // namespace muster::launcher
