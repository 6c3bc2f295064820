#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "preload/launcher/manual/command_line.h"
#include "preload/launcher/manual/completions.h"

namespace muster::launcher::manual {
namespace {

// As one word of fish.
std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

constexpr const char* kFunctions = R"SCRIPT(
# The number of the word that is the program's name. If all words before the cursor are flags and their values, it is the
# number of the word at the cursor, or a larger one if that word is a flag's value.
function __muster_program_word
    set -l words (commandline -opc)
    set -l i 3
    while test $i -le (count $words)
        if test "$words[$i]" = --
            set i (math $i + 1)
            break
        else if contains -- "$words[$i]" $__muster_flags_with_value
            set i (math $i + 1)
        else if not string match -q -- '-*' "$words[$i]"
            break
        end
        set i (math $i + 1)
    end
    echo $i
end

# Whether the cursor is among the flags and arguments of a subcommand.
function __muster_in
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; or return
    contains -- $argv[1] $__muster_take_program; or return 0
    test "$words[-1]" != -- -a (__muster_program_word) -gt (count $words)
end

# Whether the cursor is at a program or its arguments.
function __muster_at_program
    set -l words (commandline -opc)
    contains -- "$words[2]" $__muster_take_program; and test (__muster_program_word) -le (math (count $words) + 1)
end

function __muster_complete_program
    set -l words (commandline -opc)
    set -l program $words[(__muster_program_word)..]
    complete -C (string join -- ' ' (string escape -- $program) (commandline -ct))
end

complete -c muster -f
complete -c muster -n __muster_at_program -a '(__muster_complete_program)'
)SCRIPT";

// How `complete` takes names and what follows them.
std::string flag_words(const Argument& flag) {
  std::string text;
  for (const std::string& name : flag.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!flag.takes_value()) return text;
  text += flag.is_path ? " -r -F" : " -x";
  if (!flag.choices.empty()) text += fmt::format(" -a '{}'", fmt::join(flag.choices, " "));
  return text;
}

std::string command_lines(const Command& command) {
  const std::string start = fmt::format("complete -c muster -n '__muster_in {}'", command.name);
  std::string text;
  for (const Argument& flag : command.flags) {
    text += fmt::format("{}{} -d {}\n", start, flag_words(flag), quote(flag.help));
  }
  for (const Argument& word : command.words) {
    if (word.is_path) text += start + " -F\n";
    if (!word.choices.empty())
      text += fmt::format("{} -a '{}'\n", start, fmt::join(word.choices, " "));
  }
  return text;
}

}  // namespace

std::string fish_completion(const CLI::App& app) {
  const std::vector<Command> commands = subcommands(app);
  std::string text =
      "# Completion of muster's command lines for fish, written by `muster completion fish`.\n";
  std::string take_program;
  std::string with_value;
  for (const Command& command : commands) {
    if (!command.takes_program) continue;
    take_program += " " + command.name;
    for (const Argument& flag : command.flags) {
      if (flag.takes_value()) with_value += fmt::format(" {}", fmt::join(flag.names, " "));
    }
  }
  text += fmt::format("set -g __muster_take_program{}\nset -g __muster_flags_with_value{}\n",
                      take_program, with_value);
  text += kFunctions;
  for (const Argument& flag : whole_command(app).flags) {
    text += fmt::format("complete -c muster -n __fish_use_subcommand{} -d {}\n", flag_words(flag),
                        quote(flag.help));
  }
  for (const Command& command : commands) {
    text += fmt::format("complete -c muster -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quote(command.summary));
  }
  for (const Command& command : commands) text += command_lines(command);
  return text;
}

}  // namespace muster::launcher::manual
