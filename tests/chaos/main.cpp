// chaos: barriers, waiting and folding's hand-over under drawn schedules, memories and interruptions.
//
//   muster_chaos --episodes N [--seed S]        so many barrier instances, run after run
//   muster_chaos --replay SEED                  one run again
//   muster_chaos --mutants [--runs N] [--where] each operation of the sources weakened, and each way to misuse them
//                                               must be found within so many runs
#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/chaos/run.h"
#include "tests/model/survivors.h"
#include "waiting/random.h"

namespace muster::chaos {
namespace {

using Number = unsigned long long;

struct Options {
  Number episodes = 1'000'000;
  Number seed = 1;
  std::optional<Number> replay;
  Number runs = 20'000;
  std::string where;
  std::string slip;
  std::string barrier;
  std::string wait;
  unsigned threads = 0;
  bool mutants = false;
  bool all_mutants = false;

  Fixed fixed() const {
    Fixed out;
    for (int i = 0; i < kBarrierKinds; ++i) {
      if (barrier == kBarrierNames[i]) out.barrier = static_cast<BarrierKind>(i);
    }
    for (int i = 0; i < kWaitKinds; ++i) {
      if (wait == kWaitNames[i]) out.wait = static_cast<WaitKind>(i);
    }
    if (threads != 0) out.threads = threads;
    return out;
  }
  std::string text() const {
    std::string out;
    if (!barrier.empty()) out += " --barrier '" + barrier + "'";
    if (!wait.empty()) out += " --wait '" + wait + "'";
    if (threads != 0) out += " --threads " + std::to_string(threads);
    return out;
  }
};

std::vector<Slip> slips() {
  std::vector<Slip> out;
  for (int i = 1; i <= static_cast<int>(Slip::kLast); ++i) out.push_back(static_cast<Slip>(i));
  return out;
}

// Of run `i`: far from that of any other.
std::uint64_t seed_of(Number seed, Number i) {
  MixedNumbers numbers(seed * 0x9E3779B97F4A7C15U + i);
  return std::uint64_t{numbers.next()} << 32 | numbers.next();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::string text_of(const Plan& plan) {
  std::string out = std::string(name_of(plan.barrier)) + ", " + name_of(plan.wait) + ", ";
  out += std::to_string(plan.sizes[0]) + " and " + std::to_string(plan.sizes[1]) + " threads, ";
  if (plan.schedule.depth == 0) return out + "random turns";
  return out + "PCT of depth " + std::to_string(plan.schedule.depth) + " in " +
         std::to_string(plan.schedule.window) + " steps";
}

bool holds(const Outcome& outcome, const Plan& plan, const Options& options) {
  if (outcome.wrong.empty()) return true;
  std::fprintf(stderr, "%s: %s\n  repeat: muster_chaos --replay %llu%s%s\n",
               text_of(plan).c_str(), outcome.wrong.c_str(), static_cast<Number>(plan.seed),
               options.text().c_str(),
               options.slip.empty() ? "" : (" --slip " + options.slip).c_str());
  return false;
}

Weakened slipped(const Options& options) {
  Weakened out;
  for (const Slip slip : slips()) {
    if (name_of(slip) == options.slip) out.slip = slip;
  }
  return out;
}

int replay(const Options& options) {
  Runner runner;
  const Plan plan = plan_of(*options.replay, options.fixed());
  if (!holds(runner.run(plan, slipped(options)), plan, options)) return 1;
  std::printf("%s: nothing wrong\n", text_of(plan).c_str());
  return 0;
}

int run_all(const Options& options) {
  Runner runner;
  Outcome sum;
  const Weakened weakened = slipped(options);
  Number runs = 0;
  for (; sum.instances < options.episodes; ++runs) {
    const Plan plan = plan_of(seed_of(options.seed, runs), options.fixed());
    const Outcome outcome = runner.run(plan, weakened);
    if (!holds(outcome, plan, options)) return 1;
    sum.add(outcome);
  }
  std::printf("%llu episodes in %llu runs from seed %llu: %llu called off, %llu folded regions, %llu sleeps, "
              "%llu wake calls, %llu gave way, %.1f s of CPU time\n",
              static_cast<Number>(sum.instances), runs, options.seed,
              static_cast<Number>(sum.called_off), static_cast<Number>(sum.regions),
              static_cast<Number>(sum.sleeps), static_cast<Number>(sum.wake_calls),
              static_cast<Number>(sum.gave_way), cpu_seconds());
  const bool tested = sum.sleeps > sum.instances / 100 || !options.wait.empty();
  if (!tested) std::fprintf(stderr, "hardly anybody ever slept: nothing was tested\n");
  return tested ? 0 : 1;
}

// The number of the run that found it; 0: none did.
Number found_by(const Weakened& weakened, const Options& options, std::string& how) {
  Runner runner;
  for (Number i = 0; i < options.runs; ++i) {
    const Plan plan = plan_of(seed_of(options.seed, i), options.fixed());
    const Outcome outcome = runner.run(plan, weakened);
    if (outcome.wrong.empty()) continue;
    how = outcome.wrong.substr(0, outcome.wrong.find(" (")) + " (" + text_of(plan) + ")";
    return i + 1;
  }
  return 0;
}

// Whatever the sources do is met by some of the runs.
void meet_all_sites(const Options& options) {
  Runner runner;
  for (Number i = 0; i < 2'000; ++i) {
    runner.run(plan_of(seed_of(options.seed, i), options.fixed()), {.notes_sites = true});
  }
}

int try_mutants(const Options& options) {
  unsigned tried = 0, found = 0, wrong = 0;
  const auto attempt = [&](const std::string& name, const Weakened& weakened, const char* survives) {
    std::string how;
    const Number by = found_by(weakened, options, how);
    ++tried;
    found += by != 0;
    wrong += by == 0 && survives == nullptr;
    if (by != 0) {
      std::printf("found by run %6llu: %s | %s\n", by, name.c_str(), how.c_str());
    } else {
      std::printf("%s: %s%s%s\n", survives != nullptr ? "not found           " : "NOT FOUND           ",
                  name.c_str(), survives != nullptr ? " | " : "", survives != nullptr ? survives : "");
    }
    std::fflush(stdout);
  };
  for (const Slip slip : slips()) {
    if (name_of(slip).find(options.where) == std::string::npos) continue;
    attempt(name_of(slip), {.slip = slip}, nullptr);
  }
  meet_all_sites(options);
  const std::size_t known = model::sites().size();
  for (std::size_t i = 1; i < known; ++i) {
    const model::Site site = model::sites()[i];
    if (site.file.starts_with("chaos/")) continue;
    const std::string place = text_of(site);
    if (place.find(options.where) == std::string::npos) continue;
    for (const model::Change change : changes_at(site)) {
      const model::Survivor* survivor = model::survivor(site, change);
      attempt(place + " -> " + name_of(change),
              {.mutation = {static_cast<std::uint16_t>(i), change}},
              survivor != nullptr ? survivor->reason : nullptr);
    }
  }
  std::printf("%u mutants, %u found, %u missed against expectation, %.1f s of CPU time\n", tried, found, wrong,
              cpu_seconds());
  return wrong == 0 && tried != 0 ? 0 : 1;
}

int run(int count, char** arguments) {
  Options options;
  CLI::App app("Barriers, waiting and folding's hand-over under drawn schedules and memories");
  app.add_option("--episodes", options.episodes, "barrier instances");
  app.add_option("--seed", options.seed, "of the first run's seed");
  app.add_option("--replay", options.replay, "one run, by the seed that a failure named");
  app.add_option("--barrier", options.barrier, "not drawn");
  app.add_option("--wait", options.wait, "not drawn");
  app.add_option("--threads", options.threads, "not drawn")->check(CLI::Range(2U, kMostThreads));
  app.add_option("--slip", options.slip, "a misuse on purpose");
  app.add_flag("--mutants", options.mutants, "weaken each operation: some run must show it");
  app.add_option("--runs", options.runs, "for each mutant, at most");
  app.add_option("--where", options.where, "only mutants whose name contains this");
  CLI11_PARSE(app, count, arguments);
  if (options.replay) return replay(options);
  return options.mutants ? try_mutants(options) : run_all(options);
}

}  // namespace
}  // namespace muster::chaos

int main(int count, char** arguments) { return muster::chaos::run(count, arguments); }
