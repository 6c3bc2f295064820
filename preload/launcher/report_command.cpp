// `muster report`: shows a report, of a file or of a process that runs with MUSTER_LIVE=on.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "preload/launcher/commands.h"
#include "preload/launcher/live_file.h"
#include "preload/launcher/merged_report.h"
#include "preload/launcher/prometheus.h"
#include "preload/launcher/report_page.h"
#include "preload/launcher/site_frames.h"

namespace muster::launcher {
namespace {

constexpr int kNoReport = 1;
constexpr std::size_t kMostSites = 12;  // of those that a page shows

struct ReportRequest {
  std::string what;
  bool as_json = false;
  bool as_html = false;
  std::string prometheus;
  unsigned every_seconds = 0;
};

bool is_process(const std::string& what) {
  return !what.empty() && what.size() < 10 &&
         std::all_of(
             what.begin(), what.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

void say_that_it_ended(const std::string& process, const timespec& written) {
  char time[32];
  std::tm parts{};
  std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", localtime_r(&written.tv_sec, &parts));
  fmt::print(stderr, "muster report: process {} has ended; its last state, of {}\n", process, time);
}

// Returns whether there may be another state later.
bool show_once(const ReportRequest& request) {
  json report;
  bool runs = false;
  if (is_process(request.what)) {
    LiveState state = read_live(static_cast<pid_t>(std::stol(request.what)));
    runs = state.runs;
    if (!runs) say_that_it_ended(request.what, state.written);
    report = std::move(state.report);
  } else {
    report = read_report(request.what, MUSTER_VERSION);
    report.erase("file");
  }
  if (!request.prometheus.empty()) {
    write_prometheus(report, request.prometheus);
  } else if (request.as_json) {
    fmt::print("{}\n", report.dump(2, ' ', false, json::error_handler_t::replace));
  } else if (request.as_html) {
    add_frames(report, kMostSites);
    fmt::print("{}", report_page(report));
  } else {
    fmt::print("{}", report_text(report));
  }
  return runs;
}

int show(const ReportRequest& request) {
  try {
    while (show_once(request) && request.every_seconds != 0) sleep(request.every_seconds);
    return 0;
  } catch (const NoReport& problem) {
    fmt::print(stderr, "muster report: {}: {}\n", request.what, problem.what());
  } catch (const json::exception& problem) {
    fmt::print(stderr, "muster report: {}: {}\n", request.what, problem.what());
  }
  return kNoReport;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "report", "Show a report: of a JSON file, or of a process that still runs.");
  command->footer(
      "A process shows its state if it runs with MUSTER_LIVE=on.\n"
      "Exit status: 0 shown, 1 no such report (a line on stderr), 2 a usage error.\n"
      "Examples:\n"
      "  muster run --report report.json -- ./app\n"
      "  muster report report.json");
  auto request = std::make_shared<ReportRequest>();
  command->add_option("WHAT", request->what, "A report in JSON, or the process's id.")
      ->required()
      ->type_name("FILE|PID");
  CLI::Option* as_json = command->add_flag("--json", request->as_json, "As JSON.");
  command
      ->add_flag("--html", request->as_html,
                 "As one HTML page that needs nothing else: charts, and what to do.")
      ->excludes(as_json);
  CLI::Option* prometheus =
      command
          ->add_option("--prometheus", request->prometheus,
                       "Into this file, for the textfile collector of Prometheus's node exporter.")
          ->type_name("FILE.prom")
          ->excludes(as_json);
  command
      ->add_option("--every", request->every_seconds,
                   "With --prometheus and a process: again after so many seconds, until it ends.")
      ->type_name("SECONDS")
      ->check(CLI::Range(1U, 86400U))
      ->needs(prometheus);
  command->callback([request, &status] { status = show(*request); });
}

}  // namespace muster::launcher
