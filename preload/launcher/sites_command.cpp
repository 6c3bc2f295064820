// `muster sites`: the call sites of a report, with function, file and line.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "preload/launcher/commands.h"
#include "preload/launcher/report_file.h"
#include "preload/launcher/site_frames.h"

namespace muster::launcher {
namespace {

struct SitesRequest {
  std::string file;
  bool json = false;
  unsigned most = 20;
  std::string talp;  // a file
};

std::string seconds(const json& ns) {
  return ns.is_null() ? "?" : fmt::format("{:.3f}", ns.get<double>() / 1e9);
}

std::string what_of(const json& site) {
  std::string text = site["symbol"].get<std::string>();
  if (const json& unfolded = site["unfolded"]; !unfolded.is_null() && unfolded != 0) {
    text += fmt::format(", {} forked by the runtime; {} s in all", unfolded.get<std::uint64_t>(),
                        seconds(site["elapsed_ns"]));
  }
  return text;
}

void print_text(const json& sites, unsigned most) {
  fmt::print("{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  of elapsed time, in seconds\n", "gain",
             "imbalance", "preempted", "throttled", "stolen", "waking", "count");
  unsigned left = most;
  for (const json& site : sites) {
    if (left-- == 0) {
      fmt::print("... {} more: --most, --json\n", sites.size() - most);
      return;
    }
    fmt::print("{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  {}\n", seconds(site["gain_ns"]),
               seconds(site["gain_imbalance_ns"]), seconds(site["gain_preempted_ns"]),
               seconds(site["gain_throttled_ns"]), seconds(site["gain_stolen_ns"]),
               seconds(site["gain_waking_ns"]), site["count"].get<std::uint64_t>(), what_of(site));
    const json& frames = site["frames"];
    if (frames.empty()) {
      fmt::print("{:>74}{}+{}\n", "", site["object"].get<std::string>(),
                 site["offset"].get<std::string>());
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      fmt::print("{:>74}{}{}\n", "", i != 0 ? "inlined in " : "", frame_text(frames[i]));
    }
  }
}

// A region in the form of DLB 3.5's TALP, as talp-pages reads it. What TALP counts and Muster does not is 0; efficiencies
// of MPI, which Muster does not see, are 1, and so is the serialization of a region, in which nothing is serial.
json talp_region(const json& efficiency) {
  json region = {{"cycles", 0}, {"instructions", 0}, {"numMeasurements", 1}, {"numMpiCalls", 0}};
  for (const char* key : {"numMpiRanks", "numOmpTasks"}) region[key] = 0;
  region["numNodes"] = 1;
  for (const char* key : {"mpiParallelEfficiency", "mpiCommunicationEfficiency", "mpiLoadBalance",
                          "mpiLoadBalanceIn", "mpiLoadBalanceOut", "ompSerializationEfficiency"}) {
    region[key] = 1;
  }
  for (const auto& [key, value] : efficiency.items()) {
    if (value.is_number()) region[key] = value;
  }
  region["ompParallelEfficiency"] = region["parallelEfficiency"];
  region["avgCpus"] = region["numCpus"];
  return region;
}

bool write_talp(const json& report, CodePlaces& places, const std::string& path) {
  const json& efficiency = report.at("efficiency");
  json regions = {{"Global", talp_region(efficiency)}};
  for (const json& region : efficiency.at("regions")) {
    const json frames = frames_of(places, region);
    const std::string name = frames.empty()
                                 ? fmt::format("{}+{}", region["object"].get<std::string>(),
                                               region["offset"].get<std::string>())
                                 : frame_text(frames[0]);
    regions[name] = talp_region(region);
  }
  const json talp = {
      {"dlbVersion", "3.5.0"},
      {"timestamp", report.at("ended")},
      {"resources", {{"numCpus", efficiency["numCpus"]}, {"numNodes", 1}, {"numMpiRanks", 0}}},
      {"Application", std::move(regions)}};
  FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool written =
      std::fputs((talp.dump(2, ' ', false, json::error_handler_t::replace) + "\n").c_str(), file) >=
      0;
  return std::fclose(file) == 0 && written;
}

int print_sites(const SitesRequest& request) {
  try {
    const json report = read_report(request.file, MUSTER_VERSION);
    if (!report.at("call_sites").at("recorded").get<bool>()) {
      fmt::print(stderr, "muster sites: {}: no call sites in it; run it with --sites\n",
                 request.file);
      return kUsage;
    }
    json sites = report["call_sites"]["sites"];
    CodePlaces places;
    for (json& site : sites) site["frames"] = frames_of(places, site);
    if (!request.talp.empty()) {
      if (report["efficiency"].is_null()) throw NoReport("no efficiencies in it");
      if (!write_talp(report, places, request.talp)) throw NoReport("cannot write " + request.talp);
    } else if (request.json) {
      // Names of files need not be UTF-8.
      fmt::print("{}\n", sites.dump(2, ' ', false, json::error_handler_t::replace));
    } else {
      print_text(sites, request.most);
    }
    return 0;
  } catch (const NoReport& problem) {
    fmt::print(stderr, "muster sites: {}: {}\n", request.file, problem.what());
  } catch (const json::exception& problem) {
    fmt::print(stderr, "muster sites: {}: {}\n", request.file, problem.what());
  }
  return kUsage;
}

}  // namespace

void add_sites(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "sites", "List the places of a program that wait, with function, file and line.");
  command->footer(
      "The program has to run with `muster run --sites --report REPORT.json -- CMD...`.\n"
      "Examples:\n"
      "  muster run --sites --report report.json -- ./app\n"
      "  muster sites report.json");
  auto request = std::make_shared<SitesRequest>();
  command->add_option("REPORT", request->file, "The report, in JSON.")->required();
  command->add_flag("--json", request->json, "As a list of objects, with a list of frames each.");
  command
      ->add_option("--talp", request->talp,
                   "Write the efficiencies to FILE, as talp-pages reads them.")
      ->type_name("FILE");
  command->add_option("--most", request->most, "How many, unless --json is given (default 20).");
  command->callback([request, &status] { status = print_sites(*request); });
}

}  // namespace muster::launcher
