#include "preload/launcher/html.h"

#include <fmt/format.h>

namespace muster::launcher {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #1b1b1f; --dim: #5f6070; --back: #ffffff; --line: #d9d9e3; --stock: #8a5a00; --muster: #0b57c2; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8ee; --dim: #a2a3b3; --back: #15161a; --line: #3a3b45; --stock: #f0b44c; --muster: #7db4ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-size: 1.15rem; font-weight: 600; border-left: 4px solid var(--muster); padding-left: .8rem; }
.dim { color: var(--dim); font-size: .9rem; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
)";

// A browser that obeys it loads nothing, whatever a program's name or arguments put into the page.
constexpr const char* kPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

bool is_xml(unsigned char c) { return c >= ' ' || c == '\t' || c == '\n'; }

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += is_xml(static_cast<unsigned char>(c)) ? c : '?';
    }
  }
  return safe;
}

// Well-formed as XML too, so that a test without a browser can read it.
std::string html_page(const std::string& title, const std::string& style, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
      "<link rel=\"icon\" href=\"data:,\"/><title>{}</title>\n<style>{}{}</style></head>\n"
      "<body>\n{}</body></html>\n",
      kPolicy, escaped(title), kStyle, style, body);
}

}  // namespace muster::launcher
