// `muster compare`: runs a program stock, stock with passive waiting and with Muster, and tells whether Muster helped.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "preload/launcher/commands.h"
#include "preload/launcher/compare/findings.h"
#include "preload/launcher/compare/output_files.h"
#include "preload/launcher/compare/program_run.h"
#include "preload/launcher/compare/session.h"
#include "preload/launcher/find_library.h"
#include "preload/launcher/program_words.h"
#include "preload/launcher/setting_flags.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kRounds = 10;
constexpr unsigned kMostRounds = 10'000;
constexpr double kMost = 100'000;  // threads, hogs, copies, CPUs
constexpr const char* kPassive = "OMP_WAIT_POLICY";

struct CompareRequest {
  std::string threads, hogs, quota, copies;  // lists with commas
  std::vector<std::string> muster, stock;
  bool no_passive = false;
  unsigned rounds = kRounds;
  unsigned warm_up = 1;
  double seconds = 0;
  double timeout_s = 0;
  std::string rate, cost;  // regular expressions
  std::string input, folder, resume;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<double> numbers_of(const char* flag, const std::string& list, double least,
                               double fallback) {
  if (list.empty()) return {fallback};
  std::vector<double> numbers;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    const bool is_whole = std::strcmp(flag, "--quota") == 0 ||
                          word.find_first_not_of("0123456789") == std::string::npos;
    if (word.empty() || *end != '\0' || !is_whole || !(number >= least && number <= kMost)) {
      throw UsageError(fmt::format("{} {}: not a number it takes, nor a list of them with commas",
                                   flag, shell_quote(list)));
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<LoadCase> loads_of(const CompareRequest& request) {
  std::vector<LoadCase> loads;
  for (const double threads : numbers_of("--threads", request.threads, 1, 0)) {
    for (const double copies : numbers_of("--copies", request.copies, 1, 1)) {
      for (const double quota : numbers_of("--quota", request.quota, 0, 0)) {
        for (const double hogs : numbers_of("--hogs", request.hogs, 0, 0)) {
          loads.push_back({.threads = static_cast<unsigned>(threads),
                           .hogs = static_cast<unsigned>(hogs),
                           .quota = quota,
                           .copies = static_cast<unsigned>(copies)});
        }
      }
    }
  }
  return loads;
}

Variables assignments(const std::string& words) {
  Variables variables;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw UsageError(fmt::format("--stock {}: not NAME=VALUE", shell_quote(word)));
    }
    variables.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return variables;
}

std::vector<Variant> variants_of(const CompareRequest& request) {
  std::vector<Variant> variants{{.name = "stock"}};
  if (!request.no_passive)
    variants.push_back({.name = "passive", .variables = {{kPassive, "passive"}}});
  for (const std::string& words : request.stock) {
    variants.push_back({.name = "stock " + words, .variables = assignments(words)});
  }
  const std::vector<std::string> defaults{""};
  for (const std::string& words : request.muster.empty() ? defaults : request.muster) {
    try {
      variants.push_back({.name = words.empty() ? "Muster" : "Muster " + words,
                          .is_muster = true,
                          .variables = variables_of_flags(words)});
    } catch (const std::runtime_error& error) {
      throw UsageError(fmt::format("--muster: {}", error.what()));
    }
  }
  return variants;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", std::localtime(&time));
  return text;
}

Comparison new_comparison(const CompareRequest& request, const std::vector<std::string>& command) {
  if (command.empty()) throw UsageError("no command; write it after --");
  Comparison comparison;
  comparison.command = command;
  comparison.started = now();
  comparison.machine = this_machine();
  comparison.rounds = request.rounds;
  comparison.warm_up = request.warm_up;
  comparison.timeout_s = request.timeout_s;
  comparison.input = request.input;
  comparison.pattern = request.rate.empty() ? request.cost : request.rate;
  comparison.more_is_better = !request.rate.empty();
  try {
    std::regex checked(comparison.pattern);
  } catch (const std::regex_error& error) {
    throw UsageError(fmt::format("{}: not a regular expression: {}",
                                 shell_quote(comparison.pattern), error.what()));
  }
  comparison.loads = loads_of(request);
  comparison.variants = variants_of(request);
  return comparison;
}

// muster-compare-app, or with -2, -3, ... behind it if that exists.
fs::path new_folder(const std::string& command) {
  const std::string name = "muster-compare-" + file_word(fs::path(command).filename().string());
  for (unsigned number = 1;; ++number) {
    fs::path folder = number == 1 ? name : fmt::format("{}-{}", name, number);
    std::error_code error;
    if (fs::create_directory(folder, error)) return folder;
    if (error)
      throw std::runtime_error(
          fmt::format("{}: {}; name a folder with --folder", folder.string(), error.message()));
  }
}

// NO_COLOR: https://no-color.org
bool is_colored() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

int show(const Comparison& comparison, const fs::path& folder, const SessionEnd& end) {
  write_whole(folder / kComparisonFile, comparison_json(comparison, true));
  write_whole(folder / "compare.csv", comparison_csv(comparison));
  write_whole(folder / "compare.html", comparison_page(comparison));
  fmt::print(
      "{}\n{}: compare.html, compare.json, compare.csv, and the output of each run in runs/\n",
      comparison_text(comparison, is_colored()), folder.string());
  if (!comparison.is_complete()) {
    fmt::print("{} of {} runs; the rest by: muster compare --resume {}\n", comparison.runs.size(),
               comparison.rounds * comparison.loads.size() * comparison.variants.size(),
               shell_quote(folder.string()));
  }
  if (end.signal != 0) return 128 + end.signal;
  return find(comparison).same_results ? 0 : kOtherResults;
}

int compare(const CompareRequest& request, const CLI::App& app,
            const std::vector<std::string>& command) {
  SessionOptions options{.seconds = request.seconds, .show_progress = isatty(STDERR_FILENO) == 1};
  const auto library = find_library();
  if (!library) throw std::runtime_error(library_missing());
  options.library = *library;
  Comparison comparison;
  if (request.resume.empty()) {
    comparison = new_comparison(request, command);
    options.folder =
        request.folder.empty() ? new_folder(command.front()) : fs::path(request.folder);
    if (fs::exists(options.folder / kComparisonFile)) {
      throw UsageError(fmt::format("{}: has a comparison already; --resume goes on with it",
                                   options.folder.string()));
    }
  } else {
    options.folder = fs::is_directory(request.resume) ? fs::path(request.resume)
                                                      : fs::path(request.resume).parent_path();
    comparison = read_comparison(options.folder / kComparisonFile);
    if (!command.empty() && command != comparison.command) {
      throw UsageError(
          fmt::format("--resume {}: it is of another command", shell_quote(request.resume)));
    }
    if (app.count("--rounds") > 0) comparison.rounds = std::max(comparison.rounds, request.rounds);
  }
  catch_signals();
  const SessionEnd end = make_runs(comparison, options);
  if (end.exec_error != 0) {
    fmt::print(stderr, "muster compare: {}: {}\n", comparison.command.front(),
               std::strerror(end.exec_error));
    std::error_code error;
    if (comparison.runs.empty() && request.folder.empty() && request.resume.empty())
      fs::remove_all(options.folder, error);
    return end.exec_error == ENOENT ? kNotFound : kCannotExecute;
  }
  return show(comparison, options.folder, end);
}

void add_flags(CLI::App& command, CompareRequest& request) {
  const auto list = [&](const char* flag, std::string& value, const char* help) {
    return command.add_option(flag, value, help)->type_name("N,...");
  };
  list("--threads", request.threads,
       "OMP_NUM_THREADS. Several: each is compared, as with the next three.");
  list("--hogs", request.hogs,
       "Run beside so many processes that only use CPU time. 0,2: idle, too.");
  list("--quota", request.quota, "Under a quota of so many CPUs, such as 1.5.");
  list("--copies", request.copies,
       "Start so many copies together; the time is until the last ends.");
  const auto repeated = [&](const char* flag, std::vector<std::string>& value, const char* help) {
    return command.add_option(flag, value, help)->allow_extra_args(false);
  };
  repeated("--muster", request.muster,
           "Flags of muster run, as one word. Repeat it to compare several settings.")
      ->type_name("'FLAGS'");
  repeated("--stock", request.stock, "Also compare stock with these variables.")
      ->type_name("'NAME=VALUE ...'");
  command.add_flag("--no-passive", request.no_passive,
                   "No stock runs with OMP_WAIT_POLICY=passive.");
  command.add_option("--rounds", request.rounds, "Runs of each variant in each case.")
      ->check(CLI::Range(1U, kMostRounds))
      ->capture_default_str();
  command.add_option("--warm-up", request.warm_up, "Runs of each before, which do not count.")
      ->check(CLI::Range(0U, kMostRounds))
      ->capture_default_str();
  const auto seconds = [&](const char* flag, double& value, const char* help) {
    command.add_option(flag, value, help)->check(CLI::PositiveNumber)->type_name("S");
  };
  seconds("--seconds", request.seconds, "Begin no further round after this time.");
  seconds("--timeout", request.timeout_s, "End a run after this time.");
  CLI::Option* rate = command.add_option(
      "--rate", request.rate,
      "Compare not the time but the number after this in the output; more is better.");
  command.add_option("--cost", request.cost, "The same; less is better.")
      ->type_name("REGEX")
      ->excludes(rate);
  rate->type_name("REGEX");
  command.add_option("--input", request.input, "Standard input of the program; else it is empty.")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  command
      .add_option("--folder", request.folder,
                  "Where results and outputs go; else muster-compare-NAME.")
      ->type_name("FOLDER");
  command
      .add_option("--resume", request.resume,
                  "Make the runs that are missing in this folder; --rounds may add some.")
      ->type_name("FOLDER|FILE");
}

}  // namespace

void add_compare(CLI::App& app, const WordsAfterDashes& after, int& status) {
  CLI::App* command = app.add_subcommand(
      "compare", "Run a program with and without Muster, and tell whether it helped.");
  command->footer(
      "The program and its arguments follow: muster compare [OPTIONS] -- CMD...\n"
      "Exit status: 0 compared, 1 an output or exit status differs with Muster only, 2 usage "
      "error, 125 no comparison,\n"
      "126 and 127 as muster run, 128+N ended by signal N.\n"
      "Examples:\n"
      "  muster compare --rounds 5 --hogs 0,2 -- ./app");
  auto request = std::make_shared<CompareRequest>();
  add_flags(*command, *request);
  take_program(*command);
  command->callback([request, command, after, &status] {
    const auto words = program_words(*command, after);
    status = kUsage;
    if (!words) return;
    try {
      status = compare(*request, *command, *words);
    } catch (const UsageError& error) {
      fmt::print(stderr, "muster compare: {}\n", error.what());
    } catch (const std::exception& error) {
      fmt::print(stderr, "muster compare: {}\n", error.what());
      status = kLauncherFailed;
    }
  });
}

}  // namespace muster::launcher
