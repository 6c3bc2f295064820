#include "preload/launcher/manual/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace muster::launcher::manual {
namespace {

constexpr std::string_view kExitStatus = "Exit status: ";

// Whether a part of "off|auto|<n>us|FILE" is a value as such, not a name for values.
bool is_literal(const std::string& word) {
  static const std::regex kLiteral("[a-z0-9][a-z0-9+-]*");
  return std::regex_match(word, kLiteral);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// CLI11's names of types are for programmers.
std::string plain_type(const std::string& type) {
  if (type == "UINT" || type == "INT" || type == "FLOAT") return "N";
  return type;
}

bool is_name_of_path(const std::string& word) {
  static const std::regex kPath("(FILE|FOLDER|PATH|DIRECTORY|REPORT).*");
  return std::regex_match(word, kPath);
}

// CLI11 appends its validators to a type: "N:UINT in [1 - 9]", "TEXT:{bash,zsh}".
void take_type(const std::string& type, Argument& argument) {
  static const std::regex kRange(R"(\[(\S+) - (\S+)\])");
  static const std::regex kMembers(R"(\{(.*)\})");
  const std::size_t colon = type.find(':');
  const std::string validators = colon == std::string::npos ? "" : type.substr(colon + 1);
  argument.value = plain_type(type.substr(0, colon));
  std::smatch found;
  if (std::regex_search(validators, found, kMembers)) {
    argument.value = fmt::format("{}", fmt::join(split(found[1], ','), "|"));
  }
  if (std::regex_search(validators, found, kRange)) {
    argument.help += fmt::format(" ({} to {})", found[1].str(), found[2].str());
  }
  for (const std::string& part : split(argument.value, '|')) {
    if (is_literal(part)) argument.choices.push_back(part);
    argument.is_path = argument.is_path || is_name_of_path(part);
  }
}

Argument describe(const CLI::Option& option) {
  Argument argument;
  argument.help = option.get_description();
  argument.required = option.get_required();
  argument.repeated = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) take_type(option.get_type_name(), argument);
  if (!option.get_default_str().empty()) {
    argument.help += fmt::format(" (default {})", option.get_default_str());
  }
  if (option.get_positional()) {
    const std::string name = option.get_name(true);
    argument.is_path = argument.is_path || is_name_of_path(name);
    argument.names = {name};
    return argument;
  }
  for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  return argument;
}

void take_footer(const std::string& footer, Command& command) {
  enum { kNotes, kExamples, kStatus } part = kNotes;
  for (const std::string& line : split(footer, '\n')) {
    if (line == "Examples:") {
      part = kExamples;
    } else if (const std::size_t at = line.find(kExitStatus); at != std::string::npos) {
      if (at > 0) command.notes.push_back(line.substr(0, at - 1));
      command.exit_status = line.substr(at + kExitStatus.size());
      part = kStatus;
    } else if (part == kStatus) {
      command.exit_status += " " + line;
    } else if (part == kExamples && line.starts_with(' ')) {
      command.examples.push_back(line.substr(line.find_first_not_of(' ')));
    } else if (!line.empty()) {
      part = kNotes;
      command.notes.push_back(line);
    }
  }
}

Command describe(const CLI::App& app) {
  Command command;
  command.name = app.get_name();
  command.summary = app.get_description();
  command.takes_program = app.get_prefix_command();
  for (const CLI::Option* option : app.get_options({})) {
    (option->get_positional() ? command.words : command.flags).push_back(describe(*option));
  }
  take_footer(app.get_footer(), command);
  return command;
}

}  // namespace

Command whole_command(const CLI::App& app) { return describe(app); }

std::vector<Command> subcommands(const CLI::App& app) {
  std::vector<Command> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(describe(*command));
  return commands;
}

}  // namespace muster::launcher::manual
