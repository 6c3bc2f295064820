// model: explores every interleaving of small programs over Muster's barriers.
//
//   model --barrier dist-sensor --wait block --threads 3 --episodes 2
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/model/suite.h"

int main(int count, char** arguments) {
  using namespace muster;
  CLI::App app("Explores every interleaving of small programs over Muster's barriers");
  std::string barrier = "dist-sensor", wait = "spin", shape = "barriers";
  model::Subject subject;
  model::Settings settings;
  int fences = 0;
  app.add_option("--barrier", barrier);
  app.add_option("--wait", wait);
  app.add_option("--program", shape);
  app.add_option("--threads", subject.threads);
  app.add_option("--episodes", subject.episodes);
  app.add_option("--caller", subject.caller);
  app.add_option("--called-off", subject.called_off);
  app.add_option("--spurious", settings.wakes_for_nothing);
  app.add_option("--fences", fences);
  int stale = -1, trace = 0, mutants = 0;
  app.add_flag("--mutants", mutants);
  app.add_option("--stale", stale);
  app.add_flag("--trace", trace);
  CLI11_PARSE(app, count, arguments);
  for (int i = 0; i < kBarrierKinds; ++i) {
    if (barrier == kBarrierNames[i]) subject.barrier = static_cast<BarrierKind>(i);
  }
  for (int i = 0; i < kWaitKinds; ++i) {
    if (wait == kWaitNames[i]) subject.wait = static_cast<WaitKind>(i);
  }
  for (const model::Shape s : model::kShapes) {
    if (shape == model::name_of(s)) subject.shape = s;
  }
  if (stale >= 0) settings.stale = static_cast<std::uint8_t>(stale);
  settings.threads = subject.threads;
  settings.fences = static_cast<model::Fences>(fences);
  if (mutants != 0) {
    std::vector<model::Report> unbroken;
    std::vector<model::Run> runs;
    for (const BarrierKind b : model::algorithms()) {
      if (barrier != "all" && b != subject.barrier) continue;
      for (const WaitKind k : {WaitKind::kSpin, WaitKind::kBlock}) {
        for (auto& r : model::runs_of(b, k, model::Extent::kQuick)) runs.push_back(r);
      }
    }
    model::try_mutants(runs, unbroken, [](const model::Mutant& m) {
      std::printf("%s %s | %s %llu\n", m.caught ? "caught  " : "SURVIVES",
                  model::name_of(m).c_str(), m.by.c_str(),
                  static_cast<unsigned long long>(m.states));
      std::fflush(stdout);
    });
    for (std::size_t i = 0; i < runs.size(); ++i)
      std::printf("%llu states %s %s\n", static_cast<unsigned long long>(unbroken[i].states),
                  model::name_of(runs[i]).c_str(), model::name_of(unbroken[i].fault).c_str());
    return 0;
  }
  const model::Report report = model::explore(settings, model::program_of(subject));
  std::printf("%s: %llu states, %llu transitions, %llu ends, longest %zu: %s %s%s\n",
              model::name_of(subject).c_str(), static_cast<unsigned long long>(report.states),
              static_cast<unsigned long long>(report.transitions),
              static_cast<unsigned long long>(report.ends), report.longest,
              model::name_of(report.fault).c_str(), report.text.c_str(),
              report.complete ? "" : " (given up)");
  if (trace != 0)
    for (const std::string& line : report.trace) std::printf("  %s\n", line.c_str());
  return report.fault != model::Fault::kNone;
}
