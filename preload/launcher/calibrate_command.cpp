// `muster calibrate`: measures what it costs on this machine to put a thread to sleep and to wake it.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "preload/launcher/commands.h"
#include "preload/launcher/cost_rows.h"
#include "waiting/calibration.h"

namespace muster::launcher {
namespace {

constexpr unsigned kCalibrationRounds = 20;  // some 10 ms
constexpr unsigned kMostCalibrationRounds = 1000;

struct CalibrateRequest {
  unsigned rounds = kCalibrationRounds;
  bool json = false;
};

void run(const CalibrateRequest& request) {
  std::vector<Calibration> rounds;
  for (unsigned i = 0; i < request.rounds; ++i) rounds.push_back(calibrate());
  if (request.json) {
    fmt::print("{}", cost_json(rounds));
  } else {
    for (const std::string& row : cost_rows(rounds)) fmt::print("{}\n", row);
  }
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Measure the costs of sleeping and waking on this machine: CS, W and a wake call.");
  auto request = std::make_shared<CalibrateRequest>();
  command->add_flag("--json", request->json, "As one JSON object.");
  command->add_option("--rounds", request->rounds, "How often to measure; the minimum is used.")
      ->check(CLI::Range(1U, kMostCalibrationRounds))
      ->capture_default_str();
  command->callback([request, &status] {
    run(*request);
    status = 0;
  });
}

}  // namespace muster::launcher
