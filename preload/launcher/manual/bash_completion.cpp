#include <fmt/format.h>

#include <string>
#include <vector>

#include "preload/launcher/manual/command_line.h"
#include "preload/launcher/manual/completions.h"

namespace muster::launcher::manual {
namespace {

// What does not depend on the tables.
constexpr const char* kScript = R"SCRIPT(
# Candidates from a list of words. @path stands for files.
_muster_offer() {
  local word
  for word in $1; do
    if [[ $word == @path ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
    elif [[ $word == "$2"* ]]; then
      COMPREPLY+=("$word")
    fi
  done
}

# The program and its arguments, from the word $1 on.
_muster_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif (($1 == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$2")
  else
    _muster_offer @path "$2"
  fi
}

_muster() {
  local command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} values i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _muster_offer "$(_muster_flags '') $_muster_commands" "$current"
    return
  fi
  # bash makes three words of --flag=value.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --)
        ((++i))
        break
        ;;
      -*)
        if [[ ${COMP_WORDS[i + 1]} == = ]]; then
          ((i += 2))
        elif _muster_values "$command" "${COMP_WORDS[i]}" >/dev/null; then
          ((++i))
        fi
        ;;
      *)
        break
        ;;
    esac
  done
  if [[ " $_muster_take_program " == *" $command "* ]] &&
    { ((i < COMP_CWORD)) || [[ $i == "$COMP_CWORD" && ($current != -* || ${COMP_WORDS[i - 1]} == --) ]]; }; then
    _muster_program "$i" "$current"
  elif ((i > COMP_CWORD)) && values=$(_muster_values "$command" "$previous"); then
    _muster_offer "$values" "$current"
  elif [[ $current == -* ]]; then
    _muster_offer "$(_muster_flags "$command")" "$current"
  elif values=$(_muster_values "$command" ''); then
    _muster_offer "$values" "$current"
  fi
}

complete -F _muster muster
)SCRIPT";

std::string candidates(const Argument& argument) {
  std::string words = fmt::format("{}", fmt::join(argument.choices, " "));
  if (argument.is_path) words += words.empty() ? "@path" : " @path";
  return words;
}

std::string flags_of(const Command& command) {
  std::string names;
  for (const Argument& flag : command.flags) {
    for (const std::string& name : flag.names) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

// A function that prints a command's flags; '' stands for muster's own.
std::string flags_function(const Command& muster, const std::vector<Command>& commands) {
  std::string text =
      fmt::format("_muster_flags() {{\n  case $1 in\n    '') echo '{}' ;;\n", flags_of(muster));
  for (const Command& command : commands) {
    text += fmt::format("    {}) echo '{}' ;;\n", command.name, flags_of(command));
  }
  return text + "  esac\n}\n";
}

// A function that prints what can follow a command's flag, or stand without one; its status is 1 if nothing can.
std::string values_function(const std::vector<Command>& commands) {
  std::string text = "_muster_values() {\n  case \"$1 $2\" in\n";
  for (const Command& command : commands) {
    for (const Argument& flag : command.flags) {
      if (!flag.takes_value()) continue;
      std::string patterns;
      for (const std::string& name : flag.names) {
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", command.name, name);
      }
      text += fmt::format("    {}) echo '{}' ;;\n", patterns, candidates(flag));
    }
    if (!command.words.empty()) {
      text +=
          fmt::format("    '{} ') echo '{}' ;;\n", command.name, candidates(command.words.back()));
    }
  }
  return text + "    *) return 1 ;;\n  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const std::vector<Command> commands = subcommands(app);
  std::string names;
  std::string take_program;
  for (const Command& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    if (command.takes_program) take_program += (take_program.empty() ? "" : " ") + command.name;
  }
  return fmt::format(
      "# Completion of muster's command lines for bash, written by `muster completion bash`.\n"
      "_muster_commands='{}'\n_muster_take_program='{}'\n{}{}{}",
      names, take_program, flags_function(whole_command(app), commands), values_function(commands),
      kScript);
}

}  // namespace muster::launcher::manual
