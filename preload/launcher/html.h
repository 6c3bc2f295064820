// What the pages of `muster compare` and `muster report --html` share: one style, no scripts, nothing from elsewhere.
#pragma once

#include <string>

namespace muster::launcher {

// Text as it stands in HTML, in an attribute too.
std::string escaped(const std::string& text);

// A whole page. `title` is text, `body` HTML; `style` is added to the common one.
std::string html_page(const std::string& title, const std::string& style, const std::string& body);

}  // namespace muster::launcher
