#include "preload/launcher/setting_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "preload/launcher/option_flags.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {

SettingFlags::SettingFlags() : values_(std::size(kOptions)), flags_(std::size(kOptions)) {}

void SettingFlags::add_to(CLI::App& command) {
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    const Option& option = kOptions[i];
    if (!has_flag(option)) continue;
    // As everywhere, -v is verbose.
    const std::string flag =
        (&option == &option_of(Setting::verbose) ? "-v," : "") + flag_of(option);
    flags_[i] = is_switch(option) ? command.add_flag(flag, option.help)->disable_flag_override()
                                  : command.add_option(flag, values_[i], help_with_default(option))
                                        ->type_name(option.values);
  }
}

std::string SettingFlags::collect(Variables& variables) const {
  for (std::size_t i = 0; i < std::size(kOptions); ++i) {
    const Option& option = kOptions[i];
    if (flags_[i] == nullptr || flags_[i]->count() == 0) continue;
    const std::string value = is_switch(option) ? switched_on(option) : values_[i];
    if (!is_valid(option, value)) {
      const std::string problem = option.problem(value.c_str());
      return fmt::format("{} {}: {}; allowed: {}", flag_of(option), shell_quote(value),
                         problem.empty() ? "not a value it takes" : problem, option.values);
    }
    variables.emplace_back(option.variable, value);
  }
  return "";
}

std::string value_in_force(Setting setting, const Variables& variables) {
  const char* variable = option_of(setting).variable;
  for (const auto& [name, value] : variables) {
    if (name == variable) return value;
  }
  const char* inherited = std::getenv(variable);
  return inherited == nullptr ? "" : inherited;
}

Variables variables_of_flags(const std::string& words) {
  CLI::App app;
  SettingFlags flags;
  flags.add_to(app);
  std::istringstream stream(words);
  std::vector<std::string> list{std::istream_iterator<std::string>(stream), {}};
  std::reverse(list.begin(), list.end());  // CLI11 expects a vector in reverse order
  try {
    app.parse(list);
  } catch (const CLI::ParseError& error) {
    throw std::runtime_error(fmt::format("{}: {}", shell_quote(words), error.what()));
  }
  Variables variables;
  if (const std::string problem = flags.collect(variables); !problem.empty())
    throw std::runtime_error(problem);
  return variables;
}

}  // namespace muster::launcher
