#include "preload/launcher/manual/roff.h"

#include <algorithm>
#include <sstream>

namespace muster::launcher::manual {
namespace {

constexpr std::size_t kMostColumns = 80;

// A line that begins with one of these would be a request.
std::string protect_first(const std::string& line) {
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

// Breaks lines between words, as mandoc's lint asks for.
std::string wrap(const std::string& text) {
  std::string lines;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() >= kMostColumns) {
      lines += protect_first(line) + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + protect_first(line);
}

std::string escape(std::string_view text, bool is_literal) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += is_literal ? "\\-" : "-";
        break;
      case '\'':
        escaped += is_literal ? "\\(aq" : "'";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      // A long list of values may be broken here.
      case '|':
        escaped += is_literal ? "|\\:" : "|";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string literal(std::string_view text) {
  // A list of values may be broken between them only.
  const bool is_list = text.find('|') != std::string_view::npos;
  return protect_first((is_list ? "\\%" : "") + escape(text, true));
}

std::string prose(std::string_view text) {
  std::string line;
  bool is_literal = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('`', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (is_literal) {
      line += bold(part);
    } else {
      line += escape(part, false);
    }
    is_literal = !is_literal;
    begin = end + 1;
  }
  return wrap(line);
}

std::string bold(std::string_view text) { return "\\fB" + escape(text, true) + "\\fR"; }

std::string italic(std::string_view text) { return "\\fI" + escape(text, true) + "\\fR"; }

}  // namespace muster::launcher::manual
