// `muster merge`: adds up the JSON reports of several processes, such as the ranks of an MPI job.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "preload/launcher/commands.h"
#include "preload/launcher/merged_report.h"

namespace muster::launcher {
namespace {

struct MergeRequest {
  std::vector<std::string> files;
  std::string json;  // where to; "-": stdout; empty: not as JSON
  bool csv = false;
};

// Those that can be merged; one line on stderr for each other.
std::vector<json> read_all(const std::vector<std::string>& files) {
  std::vector<json> reports;
  std::set<std::filesystem::path> seen;
  for (const std::string& file : files) {
    try {
      std::error_code error;
      if (!seen.insert(std::filesystem::weakly_canonical(file, error)).second) {
        throw NoReport("given twice, merged once");
      }
      json report = read_report(file, MUSTER_VERSION);
      merge(std::vector<json>(1, report));  // throws where a value is null that must not be
      reports.push_back(std::move(report));
    } catch (const NoReport& problem) {
      fmt::print(stderr, "muster merge: {}: {}\n", file, problem.what());
    } catch (const json::exception& problem) {
      fmt::print(stderr, "muster merge: {}: {}\n", file, problem.what());
    }
  }
  return reports;
}

bool write_to(const std::string& path, const std::string& text) {
  FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "we");
  const bool written =
      file != nullptr && std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0;
  const int error = errno;
  const bool closed = file == nullptr || file == stdout || std::fclose(file) == 0;
  if (written && closed) return true;
  fmt::print(stderr, "muster merge: cannot write {}: {}\n", path, std::strerror(error));
  return false;
}

int merge_files(const MergeRequest& request) {
  const std::vector<json> reports = read_all(request.files);
  if (reports.empty()) {
    fmt::print(stderr, "muster merge: no report to merge\n");
    return kUsage;
  }
  const json merged = merge(reports);
  bool written = true;
  if (!request.json.empty()) written = write_to(request.json, merged_json(merged));
  if (request.csv) {
    written = write_to("-", merged_csv(merged)) && written;
  } else if (request.json.empty()) {
    written = write_to("-", merged_text(merged));
  }
  if (!written) return kUsage;
  return reports.size() == request.files.size() ? 0 : kNotAllMerged;
}

}  // namespace

void add_merge(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "merge", "Add up JSON reports of several processes, such as the ranks of an MPI job.");
  command->footer(
      "Exit status: 0 all merged, 1 some files are no such reports (one line each on stderr), "
      "2 none is, or a usage error.\n"
      "Examples:\n"
      "  mpirun -n 4 muster run --report 'r%r.json' -- ./app\n"
      "  muster merge r*.json");
  auto request = std::make_shared<MergeRequest>();
  command->add_option("REPORT", request->files, "Reports, as MUSTER_REPORT=r%r.json writes them.")
      ->required();
  command->add_option("--json", request->json, "As one JSON object into this file; - is stdout.")
      ->type_name("FILE");
  command->add_flag("--csv", request->csv, "As section,name,detail,value lines.");
  command->callback([request, &status] { status = merge_files(*request); });
}

}  // namespace muster::launcher
