// Quoting for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace muster::launcher {

// `text` as one shell word; unchanged if nothing in it is special.
std::string shell_quote(std::string_view text);

// `name=value` as an assignment word.
std::string shell_assignment(std::string_view name, std::string_view value);

}  // namespace muster::launcher
