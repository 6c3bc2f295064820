// chaos: barriers, waiting and folding's worker loop under drawn schedules, memories and interruptions.
//
//   muster_chaos --episodes N [--seed S]        so many barrier instances, run after run
//   muster_chaos --replay SEED                  one run again
//   muster_chaos --mutants [--runs N] [--where TEXT] [--all]
//                                               each operation of the sources weakened, and each way to misuse
//                                               them: must be found within so many runs
#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tests/chaos/run.h"
#include "tests/chaos/source_mutant.h"
#include "waiting/random.h"
#ifdef MUSTER_SOURCE_MUTANTS
#include "source_mutants.h"
#else
inline constexpr const char* kSourceMutants[] = {nullptr};
#endif

namespace muster::chaos {
namespace {

using Number = unsigned long long;

struct Options {
  Number episodes = 1'000'000;
  Number seed = 1;
  std::optional<Number> replay;
  Number runs = 10'000;
  std::string where;
  std::string slip;
  std::string barrier;
  std::string wait;
  unsigned threads = 0;
  bool mutants = false;
  bool all = false;

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

// The seed of run `i`: far from that of any other.
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
  std::fprintf(stderr, "%s: %s\n  repeat: muster_chaos --replay %llu%s%s\n", text_of(plan).c_str(),
               outcome.wrong.c_str(), static_cast<Number>(plan.seed), options.text().c_str(),
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

void print(const Outcome& sum, Number runs, const Options& options) {
  std::printf(
      "%llu episodes in %llu runs from seed %llu: %llu called off, %llu folded regions, %llu "
      "sleeps, "
      "%llu wake calls, %.1f s of CPU time\n",
      static_cast<Number>(sum.instances), runs, options.seed, static_cast<Number>(sum.called_off),
      static_cast<Number>(sum.regions), static_cast<Number>(sum.sleeps),
      static_cast<Number>(sum.wake_calls), cpu_seconds());
  std::fflush(stdout);
}

int run_all(const Options& options) {
  constexpr Number kReportEvery = 10'000'000;
  Runner runner;
  Outcome sum;
  const Weakened weakened = slipped(options);
  Number runs = 0;
  for (Number reported = 0; sum.instances < options.episodes; ++runs) {
    const Plan plan = plan_of(seed_of(options.seed, runs), options.fixed());
    const Outcome outcome = runner.run(plan, weakened);
    if (!holds(outcome, plan, options)) return 1;
    sum.add(outcome);
    if (sum.instances - reported < kReportEvery) continue;
    reported = sum.instances;
    print(sum, runs + 1, options);
  }
  print(sum, runs, options);
  const bool tested = sum.sleeps > sum.instances / 100 || !options.wait.empty();
  if (!tested) std::fprintf(stderr, "hardly any thread slept: nothing was tested\n");
  return tested ? 0 : 1;
}

struct Search {
  Number found_by = 0;  // the number of the run; 0: not found
  std::string how;
  bool repeats = true;
};

Search search(const Weakened& weakened, const Options& options) {
  Runner runner;
  Search out;
  for (Number i = 0; i < options.runs; ++i) {
    const Plan plan = plan_of(seed_of(options.seed, i), options.fixed());
    const Outcome outcome = runner.run(plan, weakened);
    if (outcome.wrong.empty()) continue;
    out.found_by = i + 1;
    out.how = outcome.wrong.substr(0, outcome.wrong.find(" (")) + " (" + text_of(plan) + ")";
    out.repeats =
        Runner().run(plan_of(plan.seed, options.fixed()), weakened).wrong == outcome.wrong;
    break;
  }
  return out;
}

// Found in about one of 20,000 runs: tested by hand.
bool is_rare(const model::Site& site, model::Change change) {
  return (site.file == "waiting/sleep_word.h" && site.kind == Kind::kAdd &&
          change == model::Change::kRelaxed) ||
         (site.file == "barriers/dist_counter_local_sensor.h" && site.kind == Kind::kFullFence);
}

// Some of the runs execute each operation of the sources.
void meet_all_sites(const Options& options) {
  Runner runner;
  for (Number i = 0; i < 2'000; ++i) {
    runner.run(plan_of(seed_of(options.seed, i), options.fixed()), {.notes_sites = true});
  }
}

// Each must be found, and again by the seed alone.
int try_mutants(const Options& options) {
  unsigned tried = 0, found = 0, wrong = 0;
  const auto attempt = [&](const std::string& name, const Weakened& weakened) {
    if (name.find(options.where) == std::string::npos) return;
    const Search by = search(weakened, options);
    ++tried;
    found += by.found_by != 0;
    wrong += by.found_by == 0 || !by.repeats;
    if (by.found_by != 0) {
      std::printf("found by run %6llu: %s | %s%s\n", by.found_by, name.c_str(), by.how.c_str(),
                  by.repeats ? "" : " | DOES NOT REPEAT");
    } else {
      std::printf("NOT FOUND          : %s\n", name.c_str());
    }
    std::fflush(stdout);
  };
  for (const Slip slip : slips()) attempt(name_of(slip), {.slip = slip});
  for (const char* name : kSourceMutants) {
    if (name == nullptr) break;
    ++source_mutant;
    attempt(name, {});
  }
  source_mutant = 0;
  meet_all_sites(options);
  const std::size_t known = model::sites().size();
  for (std::size_t i = 1; i < known; ++i) {
    const model::Site site = model::sites()[i];
    if (site.file.starts_with("chaos/")) continue;
    for (const model::Change change : changes_at(site)) {
      if (!options.all && is_rare(site, change)) continue;
      attempt(text_of(site) + " -> " + name_of(change),
              {.mutation = {static_cast<std::uint16_t>(i), change}});
    }
  }
  std::printf("%u mutants, %u found, %u not as expected, %.1f s of CPU time\n", tried, found, wrong,
              cpu_seconds());
  return wrong == 0 && tried != 0 ? 0 : 1;
}

int run(int count, char** arguments) {
  Options options;
  CLI::App app("Barriers, waiting and folding's worker loop under drawn schedules and memories");
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
  app.add_flag("--all", options.all, "also mutants that matter nothing, and rare ones");
  CLI11_PARSE(app, count, arguments);
  if (options.replay) return replay(options);
  return options.mutants ? try_mutants(options) : run_all(options);
}

}  // namespace
}  // namespace muster::chaos

int main(int count, char** arguments) { return muster::chaos::run(count, arguments); }
