// `muster top`: what a process that runs with MUSTER_LIVE=on does now.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "preload/launcher/commands.h"
#include "preload/launcher/live_file.h"

namespace muster::launcher {
namespace {

constexpr int kNoState = 1;

struct TopRequest {
  int process = 0;
  double every_seconds = 1;
  unsigned count = 0;  // 0: until the process ends
};

// Growth of a count per second; "-": not known yet.
struct Rate {
  double seconds;
  std::string operator()(const json& now, const json& before) const {
    if (seconds <= 0) return "-";
    return fmt::format("{:.0f}", (number(now) - number(before)) / seconds);
  }
};

// Of the threads' time between both states.
std::string share_waited(const json& now, const json& before, double seconds) {
  if (seconds <= 0) return "-";
  return fmt::format("{:.1f} %", (number(now) - number(before)) / 1e7 / seconds);
}

// Without what a terminal would obey.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}

const json& thread_of(const json& report, std::size_t index) {
  static const json kNone = json::object();
  const json& threads = report.at("threads");
  return index < threads.size() ? threads[index] : kNone;
}

json value_of(const json& object, const char* key) {
  return object.contains(key) ? object.at(key) : json(0);
}

std::string table(const LiveState& now, const LiveState& before) {
  const double seconds = seconds_between(before.written, now.written);
  const Rate rate{seconds};
  const json& report = now.report;
  const json& last = before.report;
  std::string text = fmt::format(
      "{} (pid {}), {} threads: {} regions/s, {} barriers/s, {} sleeps/s, {} passed through/s\n",
      printable(report.at("program").get<std::string>()), report.at("pid").get<std::int64_t>(),
      report.at("largest_team").get<std::uint64_t>(),
      rate(report.at("regions"), last.at("regions")),
      rate(report.at("barriers").at("instances_replaced"),
           last.at("barriers").at("instances_replaced")),
      rate(report.at("waiting").at("blocks"), last.at("waiting").at("blocks")),
      rate(report.at("barriers").at("passed_through"), last.at("barriers").at("passed_through")));
  text += fmt::format("{:>6} {:>12} {:>14} {:>9}\n", "thread", "barriers/s", "arrived last/s",
                      "waited");
  for (std::size_t i = 0; i < report.at("threads").size(); ++i) {
    const json& thread = thread_of(report, i);
    const json& was = thread_of(last, i);
    text += fmt::format(
        "{:>6} {:>12} {:>14} {:>9}\n", i,
        rate(value_of(thread, "barriers"), value_of(was, "barriers")),
        rate(value_of(thread, "arrived_last"), value_of(was, "arrived_last")),
        share_waited(value_of(thread, "waited_ns"), value_of(was, "waited_ns"), seconds));
  }
  return text;
}

void pause_for(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  nanosleep(&time, nullptr);
}

bool runs(pid_t process) { return access(fmt::format("/proc/{}", process).c_str(), F_OK) == 0; }

int show(const TopRequest& request) {
  const bool refreshes = isatty(STDOUT_FILENO) == 1;
  unsigned shown = 0;
  try {
    LiveState before = read_live(request.process);
    for (; request.count == 0 || shown < request.count; ++shown) {
      pause_for(request.every_seconds);
      if (!runs(request.process)) break;
      LiveState now = read_live(request.process);
      fmt::print("{}{}{}", refreshes ? "\x1b[H\x1b[J" : "", table(now, before),
                 refreshes ? "" : "\n");
      std::fflush(stdout);
      if (seconds_between(before.written, now.written) > 0) before = std::move(now);
    }
    return 0;
  } catch (const NoReport& problem) {
    if (shown != 0 && !runs(request.process)) return 0;  // it has ended since
    fmt::print(stderr, "muster top: {}\n", problem.what());
  } catch (const json::exception& problem) {
    fmt::print(stderr, "muster top: {}: {}\n", request.process, problem.what());
  }
  return kNoState;
}

}  // namespace

void add_top(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "top", "Show what a running process does at its barriers, again and again.");
  command->footer(
      "The process must run with MUSTER_LIVE=on.\n"
      "Exit status: 0 shown, 1 no state of that process (a line on stderr), 2 a usage error.\n"
      "Examples:\n"
      "  muster run --live -- ./app & muster top $!");
  auto request = std::make_shared<TopRequest>();
  command->add_option("PID", request->process, "The process's id.")
      ->required()
      ->check(CLI::Range(1, 1 << 30));
  command
      ->add_option("--interval", request->every_seconds, "Seconds between two tables. (default 1)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 86400.0));
  command
      ->add_option("--count", request->count, "How many tables; by default until the process ends.")
      ->type_name("N");
  command->callback([request, &status] { status = show(*request); });
}

}  // namespace muster::launcher
