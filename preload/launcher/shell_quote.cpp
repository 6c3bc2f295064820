#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%";

}  // namespace

std::string shell_quote(std::string_view text) {
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_assignment(std::string_view name, std::string_view value) {
  return std::string(name) + "=" + shell_quote(value);
}

}  // namespace muster::launcher
