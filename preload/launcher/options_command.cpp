// `muster options`: the option table, for people or as the README's markdown.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "preload/launcher/commands.h"
#include "preload/options.h"

namespace muster::launcher {
namespace {

std::string or_dash(const char* text) { return *text == '\0' ? "-" : text; }

void print_plain() {
  for (const Option& option : kOptions) {
    fmt::print("{}\n    values   {}\n    default  {}\n    {}\n", option.name, option.values,
               or_dash(option.fallback), option.help);
  }
}

// A bar inside a cell would end it.
std::string in_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string as_code(const char* text) {
  return *text == '\0' ? "" : fmt::format("`{}`", in_cell(text));
}

void print_markdown() {
  fmt::print("| variable | values | default | meaning |\n|---|---|---|---|\n");
  for (const Option& option : kOptions) {
    fmt::print("| {} | {} | {} | {} |\n", as_code(option.name), as_code(option.values),
               as_code(option.fallback), in_cell(option.help));
  }
}

}  // namespace

void add_options(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("options", "List the environment variables Muster reads.");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "As the table of the README.");
  command->callback([markdown, &status] {
    *markdown ? print_markdown() : print_plain();
    status = 0;
  });
}

}  // namespace muster::launcher
