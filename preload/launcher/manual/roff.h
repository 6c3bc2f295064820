// Text in the language of man pages, for man(7) of groff and mandoc.
#pragma once

#include <string>
#include <string_view>

namespace muster::launcher::manual {

// As it stands, with hyphens that can be copied, as in names of flags.
std::string literal(std::string_view text);

// Prose, in short lines. What stands between backquotes is bold and literal.
std::string prose(std::string_view text);

std::string bold(std::string_view text);    // literal
std::string italic(std::string_view text);  // literal

}  // namespace muster::launcher::manual
