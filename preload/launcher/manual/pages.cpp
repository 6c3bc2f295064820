#include "preload/launcher/manual/pages.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "options/table.h"
#include "preload/launcher/manual/command_line.h"
#include "preload/launcher/manual/roff.h"
#include "preload/launcher/option_flags.h"

namespace muster::launcher::manual {
namespace {

// The same for everybody who builds one release: SOURCE_DATE_EPOCH, as help2man and Debian have it, else today.
std::string date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t now = epoch != nullptr ? std::strtoll(epoch, nullptr, 10) : std::time(nullptr);
  std::tm day{};
  std::array<char, 16> text{};
  if (gmtime_r(&now, &day) == nullptr) return "1970-01-01";
  return {text.data(), std::strftime(text.data(), text.size(), "%F", &day)};
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Lists of values are long words: lines with them cannot be adjusted well.
constexpr const char* kLayout = ".ad l\n";

std::string header(const std::string& name, int section, std::string_view summary) {
  return fmt::format(".TH {} {} {} \"Muster {}\" \"Muster manual\"\n{}.SH NAME\n{}\n",
                     literal(upper(name)), section, date(), MUSTER_VERSION, kLayout,
                     literal(name) + " \\-\n" + prose(summary));
}

std::string capitalized(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

// What stands behind the name in whatis(1): no sentence.
std::string as_summary(std::string text) {
  if (text.starts_with("Muster: ")) text.erase(0, 8);
  if (text.ends_with('.')) text.pop_back();
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

std::string see_also(const std::vector<std::string>& pages_and_sections) {
  std::string text = ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < pages_and_sections.size(); ++i) {
    const std::string& page = pages_and_sections[i];
    const std::size_t open = page.find('(');
    text += fmt::format(".BR {} {}{}\n", literal(page.substr(0, open)), page.substr(open),
                        i + 1 < pages_and_sections.size() ? " ," : "");
  }
  return text;
}

std::string argument_text(const Argument& argument) {
  std::string names;
  for (const std::string& name : argument.names) {
    const bool is_flag = name.starts_with('-');
    names += (names.empty() ? "" : ", ") + (is_flag ? bold(name) : italic(name));
  }
  if (argument.names.front().starts_with('-') && argument.takes_value()) {
    names += " " + (argument.choices.empty() ? italic(argument.value) : literal(argument.value));
  }
  return fmt::format(".TP\n{}\n{}\n", names, prose(argument.help));
}

std::string arguments_text(const char* title, const std::vector<Argument>& arguments) {
  if (arguments.empty()) return "";
  std::string text = fmt::format(".SH {}\n", title);
  for (const Argument& argument : arguments) text += argument_text(argument);
  return text;
}

std::string synopsis(const Command& command) {
  std::string text =
      fmt::format(".SH SYNOPSIS\n.B muster {}\n[\\fIOPTIONS\\fR]\n", literal(command.name));
  for (const Argument& word : command.words) {
    const std::string name = italic(word.names.front()) + (word.repeated ? " ..." : "");
    text += word.required ? name + "\n" : fmt::format("[{}]\n", name);
  }
  if (command.takes_program) text += "[\\fB\\-\\-\\fR]\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR ...]\n";
  return text;
}

Page command_page(const Command& command) {
  const std::string name = "muster-" + command.name;
  std::string text = header(name, 1, as_summary(command.summary)) + synopsis(command);
  text += fmt::format(".SH DESCRIPTION\n{}\n", prose(command.summary));
  for (const std::string& note : command.notes) text += fmt::format(".PP\n{}\n", prose(note));
  text += arguments_text("ARGUMENTS", command.words) + arguments_text("OPTIONS", command.flags);
  if (!command.exit_status.empty()) {
    text += fmt::format(".SH EXIT STATUS\n{}\n", prose(capitalized(command.exit_status)));
  }
  if (!command.examples.empty()) {
    text += ".SH EXAMPLES\n.EX\n";
    for (const std::string& example : command.examples) text += literal(example) + "\n";
    text += ".EE\n";
  }
  return {fmt::format("man1/{}.1", name), text + see_also({"muster(1)", "libmuster(7)"})};
}

Page muster_page(const Command& muster, const std::vector<Command>& commands) {
  std::string text = header("muster", 1, as_summary(muster.summary));
  text += ".SH SYNOPSIS\n.B muster\n[\\fIOPTIONS\\fR]\n\\fISUBCOMMAND\\fR ...\n";
  text +=
      fmt::format(".SH DESCRIPTION\n{}\n", prose("The subcommands run programs with libmuster.so "
                                                 "preloaded, check whether that would work and "
                                                 "whether it helps, and show what was measured. "
                                                 "libmuster(7) describes the library and its "
                                                 "environment variables."));
  text += ".SH SUBCOMMANDS\n";
  for (const Command& command : commands) {
    text += fmt::format(".TP\n.BR muster\\-{} (1)\n{}\n", literal(command.name),
                        prose(command.summary));
  }
  text += arguments_text("OPTIONS", muster.flags);
  return {"man1/muster.1", text + see_also({"muster-run(1)", "libmuster(7)"})};
}

constexpr const char* kLibrary[] = {
    "The loader places `libmuster.so` before a program's OpenMP runtime: libomp, libiomp5 or "
    "libgomp. "
    "It replaces barriers and, where that is faster, forks and joins of parallel regions. The "
    "program's output, results and exit status stay the same. What the library does not replace "
    "goes to the runtime, and the report counts it with the reason.",
    "Programs that have the runtime linked statically, and programs that gain privileges, are not "
    "reached. muster-doctor(1) checks a program without running it.",
    "Options are environment variables. They are read once, at the first OpenMP call of the "
    "process. "
    "A bad value gives one line on stderr, and the default is used. muster-run(1) has a flag for "
    "each of them except `MUSTER`.",
};

std::string variable_text(const Option& option) {
  return fmt::format(".TP\n\\%{}={}\n{}\n", bold(option.variable), literal(option.values),
                     prose(help_with_default(option)));
}

Page library_page() {
  std::string text = header("libmuster", 7, "faster barriers for unmodified OpenMP programs");
  text += fmt::format(".SH SYNOPSIS\n.EX\n{}\n{}\n.EE\n.SH DESCRIPTION\n",
                      literal("LD_PRELOAD=libmuster.so COMMAND"), literal("muster run -- COMMAND"));
  const char* separator = "";
  for (const char* paragraph : kLibrary) {
    text += fmt::format("{}{}\n", separator, prose(paragraph));
    separator = ".PP\n";
  }
  text += ".SH ENVIRONMENT\n";
  for (const Option& option : kOptions) text += variable_text(option);
  text +=
      fmt::format(".TP\n{}={}\n{}\n", bold(kRunPidVariable), italic("PID"),
                  prose("Set by muster-run(1) to the process id of the program that it runs. This "
                        "process writes its report even if it never calls OpenMP."));
  text += fmt::format(".SH FILES\n.TP\n.I {}\n{}\n", literal("/dev/shm/muster-USER-PID.json"),
                      prose("The state of a process that runs with `MUSTER_LIVE=on`."));
  return {"man7/libmuster.7", text + see_also({"muster(1)", "muster-run(1)", "ld.so(8)"})};
}

}  // namespace

std::vector<Page> pages(const CLI::App& app) {
  const std::vector<Command> commands = subcommands(app);
  std::vector<Page> all = {muster_page(whole_command(app), commands), library_page()};
  for (const Command& command : commands) all.push_back(command_page(command));
  return all;
}

}  // namespace muster::launcher::manual
