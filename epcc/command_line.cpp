// See command_line.h.
#include "epcc/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace epcc {
namespace {

constexpr int kBadInput = 2;

// CLI11's own ranges let "nan" through.
CLI::Validator number_between(double least, double most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    double value = NAN;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a number from {} to {}", text, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

}  // namespace

struct CommandLine::Parser {
  CLI::App app;
};

int failed(const char* program, const std::exception& error) noexcept {
  std::fprintf(stderr, "%s: %s\n", program, error.what());
  return 1;
}

CommandLine::CommandLine(const std::string& description, const std::string& program)
    : parser_(new Parser{CLI::App(description, program)}) {
  parser_->app.option_defaults()->always_capture_default();
}

CommandLine::~CommandLine() = default;

void CommandLine::number(const char* name, double& value, const char* help, double least,
                         double most) {
  parser_->app.add_option(name, value, help)->check(number_between(least, most));
}

void CommandLine::number(const char* name, int& value, const char* help, double least,
                         double most) {
  parser_->app.add_option(name, value, help)->check(number_between(least, most));
}

void CommandLine::number(const char* name, std::uint64_t& value, const char* help, double least,
                         double most) {
  parser_->app.add_option(name, value, help)->check(number_between(least, most));
}

void CommandLine::any_number(const char* name, std::uint64_t& value, const char* help) {
  parser_->app.add_option(name, value, help);
}

void CommandLine::flag(const char* name, bool& value, const char* help) {
  parser_->app.add_flag(name, value, help);
}

void CommandLine::choice(const char* name, std::string& value, const char* help,
                         const std::vector<std::string>& choices) {
  parser_->app.add_option(name, value, help)->check(CLI::IsMember(choices));
}

void CommandLine::list(const char* name, std::vector<std::string>& values, const std::string& help,
                       const char* default_text) {
  parser_->app.add_option(name, values, help)
      ->delimiter(',')
      ->default_str(default_text)
      ->allow_extra_args(false);
}

void CommandLine::positive_list(const char* name, std::vector<int>& values, const char* help) {
  parser_->app.add_option(name, values, help)->delimiter(',')->check(CLI::PositiveNumber);
}

void CommandLine::ascending_times(const char* name, std::vector<double>& seconds,
                                  const char* help) {
  const std::map<std::string, double> units = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  // A check sees one element at a time.
  const auto ascends = [last = 0.0](const std::string& text) mutable -> std::string {
    double value = NAN;
    if (!CLI::detail::lexical_cast(text, value) || !(value > last && value <= 1e6)) {
      return fmt::format("'{}' is no time after the one before it", text);
    }
    last = value;
    return {};
  };
  parser_->app.add_option(name, seconds, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
      ->check(CLI::Validator(ascends, ""));
}

void CommandLine::parse_or_exit(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::exit(parser_->app.exit(help));
  } catch (const CLI::ParseError& error) {
    bad_input(error.what());
  }
}

void CommandLine::bad_input(const std::string& message) const {
  fmt::print(stderr, "{}: {}\n", parser_->app.get_name(), message.substr(0, message.find('\n')));
  std::exit(kBadInput);
}

}  // namespace epcc
