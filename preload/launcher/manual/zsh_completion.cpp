#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "preload/launcher/manual/command_line.h"
#include "preload/launcher/manual/completions.h"

namespace muster::launcher::manual {
namespace {

// Within a specification of _arguments that stands in single quotes.
std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

// The action of _arguments that offers an argument's values.
std::string action(const Argument& argument) {
  const std::string choices = fmt::format("{}", fmt::join(argument.choices, " "));
  if (argument.is_path && choices.empty()) return "_files";
  // A leading space: a command that is called without the options that _arguments adds to others.
  if (argument.is_path) return fmt::format(" {{ _values value {}; _files }}", choices);
  return choices.empty() ? " " : fmt::format("({})", choices);
}

std::string flag_specification(const Argument& flag) {
  const std::string names = fmt::format("{}", fmt::join(flag.names, ","));
  const std::string all = fmt::format("{}", fmt::join(flag.names, " "));
  // A flag that was given is not offered again.
  std::string text = flag.repeated ? "'*'" : fmt::format("'({})'", all);
  text += flag.names.size() > 1 ? fmt::format("{{{}}}", names) : names;
  if (flag.takes_value()) text += flag.names.back().starts_with("--") ? "=" : "";
  text += fmt::format("'[{}]", escape(flag.help));
  if (flag.takes_value()) text += fmt::format(":{}:{}", escape(flag.value), action(flag));
  return text + "'";
}

std::string command_case(const Command& command) {
  std::string text = fmt::format("        {})\n          _arguments -s \\\n", command.name);
  for (const Argument& flag : command.flags) {
    text += fmt::format("            {} \\\n", flag_specification(flag));
  }
  for (const Argument& word : command.words) {
    text += fmt::format("            '{}:{}:{}' \\\n", word.repeated ? "*" : "",
                        escape(word.names.front()), action(word));
  }
  if (command.takes_program) text += "            '*:::program: _muster_program' \\\n";
  return text + "            && return\n          ;;\n";
}

constexpr const char* kProgram = R"SCRIPT(
_muster_program() {
  [[ $words[1] == -- ]] && shift words && ((--CURRENT))
  _normal
}
)SCRIPT";

}  // namespace

std::string zsh_completion(const CLI::App& app) {
  const std::vector<Command> commands = subcommands(app);
  std::string text =
      "#compdef muster\n"
      "# Completion of muster's command lines for zsh, written by `muster completion zsh`.\n";
  text += kProgram;
  text +=
      "\n_muster() {\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n  "
      "_arguments -C \\\n";
  for (const Argument& flag : whole_command(app).flags) {
    text += fmt::format("    {} \\\n", flag_specification(flag));
  }
  text +=
      "    '1:subcommand:->subcommand' '*::argument:->argument' && return\n"
      "  case $state in\n    subcommand)\n      local -a subcommands=(\n";
  for (const Command& command : commands) {
    text += fmt::format("        '{}:{}'\n", command.name, escape(command.summary));
  }
  text +=
      "      )\n      _describe -t subcommands subcommand subcommands && return\n      ;;\n"
      "    argument)\n      curcontext=${curcontext%:*}-$words[1]:\n      case $words[1] in\n";
  for (const Command& command : commands) text += command_case(command);
  text += "      esac\n      ;;\n  esac\n  return 1\n}\n\n";
  // Autoloaded as the function _muster, it is the body of that function; sourced, it defines the function.
  return text +
         "if [[ $funcstack[1] == _muster ]]; then\n  _muster \"$@\"\nelse\n  compdef _muster "
         "muster\nfi\n";
}

}  // namespace muster::launcher::manual
