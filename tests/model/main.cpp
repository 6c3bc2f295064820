// model: explores every execution that C++ allows of small programs over Muster's barriers.
//
//   model                                            the suite, as the tests run it
//   model --barrier dist-sensor --wait block --full  more of it, of one
//   model --barrier tree --wait spin --program fold --threads 3 --episodes 2
//   model --mutants                                  each order, fence and comparison weakened
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "tests/model/checked_memory.h"
#include "tests/model/suite.h"
#include "waiting/any_policy.h"

namespace muster::model {
namespace {

struct Options {
  std::string barrier = "all";
  std::string wait = "all";
  std::string program = "barriers";
  std::string fences = "asymmetric";
  Subject subject{.threads = 0};
  unsigned spurious = 0;
  unsigned stale = kUnlimited;
  std::uint64_t most_states = 50'000'000;
  std::string where;
  bool mutants = false;
  bool full = false;
};

const std::map<std::string, Fences> kFences = {{"asymmetric", Fences::kAsymmetric},
                                               {"symmetric", Fences::kSymmetric},
                                               {"refused", Fences::kRefused}};

std::vector<WaitKind> policies(const Options& options) {
  std::vector<WaitKind> out;
  // `0us` blocks at once as `block` does, by the asymmetric pair of fences.
  for (const WaitKind wait :
       {WaitKind::kSpin, WaitKind::kBlock, WaitKind::kMicroseconds, WaitKind::kTwoCsPlus}) {
    if (options.wait == "all" && !(options.mutants && wait == WaitKind::kTwoCsPlus)) {
      out.push_back(wait);
    }
  }
  for (int i = 0; i < kWaitKinds; ++i) {
    if (options.wait == kWaitNames[i]) out.push_back(static_cast<WaitKind>(i));
  }
  return out;
}

std::vector<Run> runs(const Options& options) {
  std::vector<Run> out;
  for (const BarrierKind barrier : algorithms()) {
    if (options.barrier != "all" && options.barrier != name_of(barrier)) continue;
    for (const WaitKind wait : policies(options)) {
      if (options.subject.threads == 0) {
        const auto more = runs_of(barrier, wait, options.full ? Extent::kFull : Extent::kQuick);
        out.insert(out.end(), more.begin(), more.end());
        continue;
      }
      Run run;
      run.subject = options.subject;
      run.subject.barrier = barrier;
      run.subject.wait = wait;
      for (const Shape shape : kShapes) {
        if (options.program == name_of(shape)) run.subject.shape = shape;
      }
      run.settings.fences = kFences.at(options.fences);
      run.settings.wakes_for_nothing = options.spurious;
      run.settings.stale = static_cast<std::uint8_t>(options.stale);
      run.settings.most_states = options.most_states;
      out.push_back(run);
    }
  }
  return out;
}

using Number = unsigned long long;

bool report(const Run& run, const Report& report) {
  std::printf("%-110s %9llu states, %10llu transitions: %s%s\n", name_of(run).c_str(),
              static_cast<Number>(report.states), static_cast<Number>(report.transitions),
              report.fault == Fault::kNone ? "right" : name_of(report.fault).c_str(),
              report.complete ? "" : ", given up");
  std::fflush(stdout);
  if (report.fault == Fault::kNone) return report.complete;
  if (!report.text.empty()) std::printf("  %s\n", report.text.c_str());
  for (const std::string& line : report.trace) std::printf("    %s\n", line.c_str());
  return false;
}

Report shortest(const Run& run, const Report& found) {
  if (found.fault == Fault::kNone) return found;
  Settings settings = run.settings;
  settings.threads = run.subject.threads;
  return shortened(found, settings, program_of(run.subject));
}

int explore_all(const std::vector<Run>& runs) {
  bool right = true;
  Number states = 0, transitions = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (const Run& run : runs) {
    const Report found = shortest(run, explore(run));
    right &= report(run, found);
    states += found.states;
    transitions += found.transitions;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%zu programs, %llu states, %llu transitions, %.1f s: %s\n", runs.size(), states,
              transitions, took.count(), right ? "all right" : "NOT all right");
  return right ? 0 : 1;
}

int try_all(const std::vector<Run>& runs, const Options& options) {
  unsigned caught = 0;
  const auto told = [&](const Mutant& mutant) {
    caught += mutant.caught;
    std::printf("%s %s | %s\n", mutant.caught ? "caught  " : "SURVIVES", name_of(mutant).c_str(),
                mutant.by.c_str());
    if (!mutant.caught && mutant.runs > 0) {
      std::printf("         in %u programs, %llu states\n", mutant.runs,
                  static_cast<Number>(mutant.states));
    }
    std::fflush(stdout);
  };
  const Tried tried = try_mutants(runs, options.where, told);
  Number states = 0, transitions = 0;
  bool right = true;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Report& unbroken = tried.unbroken[i];
    states += unbroken.states;
    transitions += unbroken.transitions;
    if (unbroken.fault != Fault::kNone || !unbroken.complete) right &= report(runs[i], unbroken);
  }
  std::printf("unchanged: %zu programs, %llu states, %llu transitions\n", runs.size(), states,
              transitions);
  std::printf("%zu mutants: %u caught\n", tried.mutants.size(), caught);
  return caught == tried.mutants.size() && right ? 0 : 1;
}

std::vector<std::string> barrier_names() {
  std::vector<std::string> out(kBarrierNames, kBarrierNames + kBarrierKinds - 2);
  out.emplace_back("all");
  return out;
}

std::vector<std::string> wait_names() {
  std::vector<std::string> out;
  for (int i = 0; i < kWaitKinds; ++i) {
    if (AnyPolicy::available_on<CheckedMemory>(static_cast<WaitKind>(i)))
      out.emplace_back(kWaitNames[i]);
  }
  out.emplace_back("all");
  return out;
}

int run(int count, char** arguments) {
  Options options;
  CLI::App app("Explores every execution that C++ allows of small programs over Muster's barriers");
  std::vector<std::string> shapes;
  for (const Shape shape : kShapes) shapes.push_back(name_of(shape));
  app.add_option("--barrier", options.barrier, "an algorithm, or all")
      ->check(CLI::IsMember(barrier_names()));
  app.add_option("--wait", options.wait, "a policy, or all: spin, block, <n>us, 2cs+")
      ->check(CLI::IsMember(wait_names()));
  auto* threads = app.add_option("--threads", options.subject.threads,
                                 "one program of so many threads, not the suite")
                      ->check(CLI::Range(1U, 3U));
  const auto of_one = [&](CLI::Option* option) { return option->needs(threads); };
  of_one(app.add_option("--program", options.program, "its shape"))->check(CLI::IsMember(shapes));
  of_one(app.add_option("--episodes", options.subject.episodes, "barriers, or regions of a fold"))
      ->check(CLI::Range(1U, 5U));
  of_one(app.add_option("--caller", options.subject.caller, "the thread that calls off"));
  of_one(app.add_option("--called-off", options.subject.called_off, "the instance, or region"));
  of_one(app.add_option("--fences", options.fences, "how light and heavy fences are had"))
      ->check(CLI::IsMember({"asymmetric", "symmetric", "refused"}));
  of_one(app.add_option("--spurious", options.spurious, "spurious wake-ups of each thread"))
      ->check(CLI::Range(0U, 3U));
  of_one(app.add_option("--stale", options.stale, "choices other than the newest, at most"))
      ->check(CLI::Range(0U, 255U));
  of_one(app.add_option("--most-states", options.most_states, "then it is given up"));
  auto* mutants = app.add_flag("--mutants", options.mutants,
                               "weaken each operation: some program must show it");
  app.add_option("--where", options.where, "only operations whose place contains this")
      ->needs(mutants);
  app.add_flag("--full", options.full, "larger programs; every mutant on all of them");
  CLI11_PARSE(app, count, arguments);
  const std::vector<Run> all = runs(options);
  return options.mutants ? try_all(all, options) : explore_all(all);
}

}  // namespace
}  // namespace muster::model

int main(int count, char** arguments) { return muster::model::run(count, arguments); }
