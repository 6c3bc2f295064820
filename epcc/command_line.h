// What the programs' command lines share: bad input is one line on stderr and exit status 2.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace epcc {

constexpr int kBadInput = 2;

[[noreturn]] inline void bad_input(const CLI::App& app, const std::string& message) {
  fmt::print(stderr, "{}: {}\n", app.get_name(), message.substr(0, message.find('\n')));
  std::exit(kBadInput);
}

// For a main's catch clause: what went wrong, in one line, and the exit status for it.
inline int failed(const char* program, const std::exception& error) noexcept {
  std::fprintf(stderr, "%s: %s\n", program, error.what());
  return 1;
}

// Parses, or ends the program: with status 0 after --help, else with one line on stderr.
inline void parse_or_exit(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::exit(app.exit(help));
  } catch (const CLI::ParseError& error) {
    bad_input(app, error.what());
  }
}

// A validator: a finite number in [least, most]. CLI11's own ranges let "nan" through.
inline CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double value = NAN;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

}  // namespace epcc
