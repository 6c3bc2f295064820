// What the programs' command lines share: bad input is one line on stderr and exit status 2. CLI11 stays behind this:
// it takes a compiler ten times as long as one of the programs.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace epcc {

// For a main's catch clause: what went wrong, in one line, and the exit status for it.
int failed(const char* program, const std::exception& error) noexcept;

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& program);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // A finite number in [least, most].
  void number(const char* name, double& value, const char* help, double least, double most);
  void number(const char* name, int& value, const char* help, double least, double most);
  void number(const char* name, std::uint64_t& value, const char* help, double least, double most);
  void any_number(const char* name, std::uint64_t& value, const char* help);
  void flag(const char* name, bool& value, const char* help);
  void choice(const char* name, std::string& value, const char* help,
              const std::vector<std::string>& choices);
  // Comma-separated.
  void list(const char* name, std::vector<std::string>& values, const std::string& help,
            const char* default_text);
  void positive_list(const char* name, std::vector<int>& values, const char* help);
  // Comma-separated, with a unit (us, ms, s) or in seconds.
  void ascending_times(const char* name, std::vector<double>& seconds, const char* help);

  // Parses, or ends the program: with status 0 after --help, else with one line on stderr.
  void parse_or_exit(int argc, char** argv);
  [[noreturn]] void bad_input(const std::string& message) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace epcc
