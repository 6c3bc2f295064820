// coherence: barriers on machines that we do not have. docs/understand/simulators.md.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "sim/coherence/simulation.h"
#include "sim/coherence/tables.h"
#include "sim/published/barriers.h"

namespace muster::coherence {
namespace {

// "4", "1..32" (all of them), "2,4,8".
std::vector<unsigned> read_threads(const std::string& text) {
  std::vector<unsigned> out;
  const auto number = [&](const std::string& part) {
    std::size_t used = 0;
    unsigned long value = 0;
    try {
      value = std::stoul(part, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != part.size() || value < 1 || value > kMostCores)
      throw std::runtime_error(fmt::format(
          "--threads {}: numbers from 1 to {}, as 4, 1..32 or 2,4,8", text, kMostCores));
    return static_cast<unsigned>(value);
  };
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t dots = part.find("..");
    const unsigned first = number(part.substr(0, dots));
    const unsigned last = dots == std::string::npos ? first : number(part.substr(dots + 2));
    for (unsigned threads = first; threads <= last; ++threads) out.push_back(threads);
    begin = end + 1;
  }
  return out;
}

// One of Muster's, or one of the paper's.
void set_barrier(Experiment& experiment, const std::string& name) {
  experiment.published = name;
  for (int i = 0; i < kBarrierKinds; ++i) {
    const auto kind = static_cast<BarrierKind>(i);
    if (name != name_of(kind)) continue;
    experiment.barrier = kind;
    experiment.published.clear();
  }
}

std::vector<std::string> barrier_names() {
  std::vector<std::string> out;
  for (int i = 0; i < kBarrierKinds; ++i) {
    const auto kind = static_cast<BarrierKind>(i);
    if (kind != BarrierKind::kNative) out.emplace_back(name_of(kind));
  }
  out.insert(out.end(), std::begin(published::kNames), std::end(published::kNames));
  return out;
}

std::map<std::string, published::Scan> scans() {
  return {{"whole", published::Scan::kWhole},
          {"from-start", published::Scan::kFromStart},
          {"from-waited", published::Scan::kFromWaited}};
}

std::map<std::string, Construct> constructs() {
  return {{"barrier", Construct::kBarrier}, {"parallel", Construct::kParallel}};
}

// On a terminal only, and only where it takes a while.
class Progress {
 public:
  explicit Progress(std::size_t runs) : runs_(runs), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin_run(std::string what) {
    what_ = std::move(what);
    ++run_;
  }
  void step(double share) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    drawn_ = true;
    const double done = (static_cast<double>(run_ - 1) + share) / static_cast<double>(runs_);
    const auto filled = static_cast<std::size_t>(done * 30);
    fmt::print(stderr, "\r\033[K[{:<30}] {:3.0f} %  {}", std::string(filled, '#'), 100 * done,
               what_);
    std::fflush(stderr);
  }

 private:
  std::size_t runs_;
  std::size_t run_ = 0;
  bool shown_;
  bool drawn_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int run(int count, char** words) {
  CLI::App app(
      "Muster's barriers in a simulated cache-coherent machine: EPCC's overhead, and why.");
  std::string folder = MUSTER_MACHINES;
  std::string machine_name = "power4-32";
  std::vector<std::string> barriers{"dist-sensor"};
  std::string threads;
  Experiment experiment;
  bool csv = false;
  bool list = false;
  app.add_option("--machine", machine_name,
                 "a file of the folder of machines, or rule-N (default power4-32)");
  app.add_option("--machines", folder, "the folder of machines");
  app.add_flag("--list", list, "list the machines and end");
  app.add_option("--barrier", barriers,
                 "algorithms, comma-separated, of Muster or of Zhang et al. (default dist-sensor)")
      ->delimiter(',')
      ->check(CLI::IsMember(barrier_names()));
  app.add_option("--threads", threads, "4, 1..32 or 2,4,8 (default: as many as the machine has)");
  app.add_option("--episodes", experiment.episodes, "barriers that are measured (default 100)")
      ->check(CLI::Range(1U, 100'000'000U));
  app.add_option("--delay-us", experiment.delay_us, "computing before each (default 0.1)")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--construct", experiment.construct,
                 "barrier, or parallel: fork and join of a folded region (default barrier)")
      ->transform(CLI::CheckedTransformer(constructs()));
  app.add_option("--jitter", experiment.jitter,
                 "the share of itself by which a delay is longer, at most (default 0.02)")
      ->check(CLI::Range(0.0, 100.0));
  app.add_option("--seed", experiment.seed, "of the differences between delays (default 1)");
  published::Reading& reading = experiment.reading;
  app.add_flag(
      "--sets-share-lines", reading.sets_share_lines,
      "of Zhang et al.: the arrays of a padded counter are different bytes of the same lines");
  app.add_flag("--store-only{false}", reading.loads_first,
               "of Zhang et al.: an element is set to zero, not decreased");
  app.add_option(
         "--scan", reading.scan,
         "of Zhang et al.: how a counter is read, whole, from-start or from-waited (default whole)")
      ->transform(CLI::CheckedTransformer(scans()));
  app.add_flag("--csv", csv, "every number, a line for each run");
  CLI11_PARSE(app, count, words);

  if (list) {
    for (const std::string& name : machine_names(folder)) fmt::print("{}\n", name);
    return 0;
  }
  const Machine machine = load_machine(folder, machine_name);
  const std::vector<unsigned> sizes =
      threads.empty() ? std::vector<unsigned>{machine.cores} : read_threads(threads);
  Progress progress(sizes.size() * barriers.size());
  print_head(machine, experiment, csv);
  for (const unsigned size : sizes) {
    for (const std::string& barrier : barriers) {
      experiment.threads = size;
      set_barrier(experiment, barrier);
      progress.begin_run(fmt::format("{}, {} threads", barrier, size));
      const unsigned all = experiment.warm_up + experiment.episodes;
      const auto step = [&](unsigned episode) {
        progress.step(static_cast<double>(episode) / all);
      };
      print_run(machine, experiment, simulate(machine, experiment, step), csv);
    }
  }
  return 0;
}

}  // namespace
}  // namespace muster::coherence

int main(int count, char** words) {
  try {
    return muster::coherence::run(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "coherence: %s\n", problem.what());
    return 2;
  }
}
