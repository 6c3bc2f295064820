// `muster options`: the option table, for people, or as the page docs/use/options.md.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "preload/launcher/commands.h"
#include "preload/launcher/option_flags.h"

namespace muster::launcher {
namespace {

constexpr const char* kPage = R"(# Options

Muster reads its options from environment variables. `muster run` has a flag for each of them except `MUSTER`, and
`muster options` lists them. Most programs need none.

They are read once, at the first OpenMP call of the process. A bad value gives one line on stderr, and the default is
used. A variable whose name begins with `MUSTER_` but is not an option gives one line with the nearest name. The report
shows the options that were in force.

<!-- Written by `muster options --markdown` from options/table.h; a test compares the two. -->
)";

std::string text_or(const char* text, const char* fallback) {
  return *text == '\0' ? fallback : text;
}

void print_plain() {
  for (const Option& option : kOptions) {
    fmt::print("{}\n", option.variable);
    if (has_flag(option)) fmt::print("    flag     {}\n", flag_of(option));
    fmt::print("    values   {}\n", option.values);
    if (*option.range != '\0') fmt::print("    range    {}\n", option.range);
    fmt::print("    default  {}\n    {}\n", text_or(option.fallback, "not set"), option.help);
  }
}

constexpr std::size_t kLineLength = 120;

// Breaks `text` between words. Further lines of a list item are indented.
std::string wrapped(std::string_view text) {
  const std::string_view indent = text.starts_with("- ") ? "  " : "";
  std::string lines;
  std::size_t length = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const bool fits = length + 1 + word.size() <= kLineLength;
    if (begin != 0) lines += fits ? " " : fmt::format("\n{}", indent);
    length = begin == 0 ? 0 : fits ? length + 1 : indent.size();
    lines += word;
    length += word.size();
    begin = end + 1;
  }
  return lines;
}

// "a|b" -> "`a`, `b`".
std::string as_list(std::string_view values) {
  std::string list = "`";
  for (const char c : values) list += c == '|' ? "`, `" : std::string(1, c);
  return list + "`";
}

void print_markdown() {
  fmt::print("{}", kPage);
  for (const Option& option : kOptions) {
    fmt::print("\n## `{}`\n\n{}\n\n", option.variable, wrapped(option.help));
    const std::string range = *option.range == '\0' ? "" : fmt::format("; {}", option.range);
    fmt::print("{}\n", wrapped(fmt::format("- Values: {}{}", as_list(option.values), range)));
    fmt::print("- Default: {}\n", *option.fallback == '\0' ? "not set" : as_list(option.fallback));
    if (has_flag(option)) {
      fmt::print("- Flag: `muster run {}{}`\n", flag_of(option), is_switch(option) ? "" : " VALUE");
    }
  }
}

void print_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Option& option : kOptions) {
    list.push_back(
        {{"variable", option.variable},
         {"flag", has_flag(option) ? nlohmann::ordered_json(flag_of(option)) : nullptr},
         {"values", option.values},
         {"range", option.range},
         {"default", *option.fallback != '\0' ? nlohmann::ordered_json(option.fallback) : nullptr},
         {"help", option.help}});
  }
  fmt::print("{}\n", list.dump(1));
}

}  // namespace

void add_options(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("options", "List the options: environment variables and flags.");
  auto markdown = std::make_shared<bool>(false);
  auto as_json = std::make_shared<bool>(false);
  CLI::Option* page =
      command->add_flag("--markdown", *markdown, "As the page docs/use/options.md.");
  command->add_flag("--json", *as_json, "As a list of objects.")->excludes(page);
  command->callback([markdown, as_json, &status] {
    *as_json ? print_json() : *markdown ? print_markdown() : print_plain();
    status = 0;
  });
}

}  // namespace muster::launcher
