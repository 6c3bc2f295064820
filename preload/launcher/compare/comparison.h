// What `muster compare` compares, and every run that it has made: kept as JSON, from which it can be resumed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::launcher {

// The conditions of some runs. All variants are compared under the same ones.
struct LoadCase {
  unsigned threads = 0;  // 0: not set
  unsigned hogs = 0;     // processes beside it that only use CPU time
  double quota = 0;      // CPUs; 0: none
  unsigned copies = 1;   // of the program, started together

  bool operator==(const LoadCase&) const = default;
};

// "4 threads, 2 hogs", "idle".
std::string name_of(const LoadCase& load);

// A way to run the program: stock, stock with other variables, or with Muster.
struct Variant {
  std::string name;
  bool is_muster = false;
  std::vector<std::pair<std::string, std::string>> variables{};

  bool operator==(const Variant&) const = default;
};

struct Run {
  unsigned round = 0;
  std::size_t load = 0;            // of Comparison::loads
  std::size_t variant = 0;         // of Comparison::variants
  double elapsed_s = 0;            // until the last copy has ended
  double cpu_s = 0;                // of all copies
  std::optional<double> figure{};  // read from the output; of several copies the sum
  std::string status{};  // "0", "3", "SIGSEGV"; of several copies the first that is not "0"
  bool timed_out = false;
  std::string output{};  // hash of what was written to stdout
  std::string errors{};  // the same for stderr, without Muster's own lines
  std::string file{};    // of the outputs, in `runs/`, without its ending
};

struct Machine {
  std::string cpu;
  unsigned cpus = 0;  // allowed
  std::string kernel;
  double load_average = 0;  // before the first run
};

struct Comparison {
  std::vector<std::string> command;
  std::string started;  // local time, ISO 8601
  Machine machine;
  unsigned rounds = 0;
  unsigned warm_up = 0;
  double timeout_s = 0;  // 0: none
  std::string input;     // standard input; empty: nothing to read
  // A regular expression that finds the figure in the output; empty: the elapsed time is compared.
  std::string pattern;
  bool more_is_better = false;
  std::vector<LoadCase> loads;
  std::vector<Variant> variants;
  std::vector<Run> runs;
  // Of the warm-up runs with Muster, by their reports.
  bool reported = false;
  unsigned long long arrivals_replaced = 0;
  unsigned long long regions_folded = 0;

  bool has(unsigned round, std::size_t load, std::size_t variant) const;
  bool is_complete() const { return runs.size() == rounds * loads.size() * variants.size(); }
};

inline constexpr const char* kComparisonFile = "compare.json";

// Throws std::runtime_error, with a text that names the file.
Comparison read_comparison(const std::filesystem::path& file);

// Whole or not at all. Throws std::runtime_error.
void write_whole(const std::filesystem::path& file, const std::string& text);

// While runs are still made, what follows from them is left out: it takes some time.
std::string comparison_json(const Comparison& comparison, bool with_findings);
std::string comparison_csv(const Comparison& comparison);  // a line for each run
std::string comparison_text(const Comparison& comparison, bool colored);
std::string comparison_page(const Comparison& comparison);  // HTML

Machine this_machine();

}  // namespace muster::launcher
