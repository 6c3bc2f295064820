// What CLI11 knows of the command line, in the form that man pages and completions are made from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::launcher::manual {

struct Argument {
  std::vector<std::string>
      names;          // of a flag: {"-h", "--help"}; of any other argument: what it stands for
  std::string value;  // what a flag takes, as its help names it; empty: nothing
  std::vector<std::string> choices;  // those of its values that can be completed
  bool is_path = false;              // whether files can be completed
  std::string help;                  // with limits and the default
  bool required = false;
  bool repeated = false;

  bool takes_value() const { return !value.empty(); }
};

struct Command {
  std::string name;
  std::string summary;
  std::vector<Argument> flags;
  std::vector<Argument> words;  // arguments that are no flags
  bool takes_program = false;   // and its arguments
  // The footer's lines: what stands behind "Exit status: ", commands below "Examples:", and the others.
  std::string exit_status;
  std::vector<std::string> examples;
  std::vector<std::string> notes;
};

// `muster` itself, without its subcommands.
Command whole_command(const CLI::App& app);

// The subcommands, in the order of --help.
std::vector<Command> subcommands(const CLI::App& app);

}  // namespace muster::launcher::manual
