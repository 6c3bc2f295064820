#include "preload/launcher/option_flags.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

namespace muster::launcher {
namespace {

constexpr std::string_view kPrefix = "MUSTER_";

}  // namespace

std::string flag_of(const Option& option) {
  std::string flag = "--";
  for (const char* at = option.variable + kPrefix.size(); *at != '\0'; ++at) {
    flag += *at == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  }
  return flag;
}

bool has_flag(const Option& option) {
  return std::string_view(option.variable).starts_with(kPrefix);
}

const char* switched_on(const Option& option) {
  const std::string_view values = option.values;
  if (values == kind::Flag::values()) return "1";
  return values == kind::OnOff::values() && std::string_view(option.fallback) == "off" ? "on"
                                                                                       : nullptr;
}

std::string help_with_default(const Option& option) {
  std::string more = option.range;
  if (*option.fallback != '\0') {
    more += fmt::format("{}default {}", more.empty() ? "" : "; ", option.fallback);
  }
  return more.empty() ? option.help : fmt::format("{} ({})", option.help, more);
}

bool is_valid(const Option& option, const std::string& value) {
  // A NUL would end the environment variable early. argv cannot hold one, but a caller could.
  return value.find('\0') == std::string::npos && option.is_valid(value.c_str());
}

}  // namespace muster::launcher
