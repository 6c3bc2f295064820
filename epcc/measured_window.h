// The part of a run that is counted: from the moment the margin before it is over until `seconds`
// later, in whole iterations of the thread that asks. With a margin, the program works on for as
// long after it, uncounted: so two programs side by side are both still there while either counts.
// All times are seconds of CLOCK_MONOTONIC, all CPU times seconds.
//
// For a curve of progress (`--progress`) the count begins with the first iteration, margin or not,
// and ends with the last of the times asked for.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace epcc {

struct WindowOptions {
  double seconds = 1;
  double margin = 0;
  std::vector<int> beside;       // processes whose CPU time is reported as well
  std::vector<double> progress;  // seconds after the first iteration began, ascending
};

struct Progress {
  double seconds = 0;            // since the first iteration began
  std::uint64_t iterations = 0;  // complete by then
};

struct Window {
  double ran_from = 0;  // first iteration begun
  double from = 0;      // counted from here
  double to = 0;        // to here
  double ran_to = 0;    // told to stop
  std::uint64_t iterations = 0;
  double cpu_seconds = 0;                  // of this process, within the window
  std::vector<double> beside_cpu_seconds;  // of each process named, within the window
  std::vector<Progress> progress;          // one for each time asked for
};

// Throws std::invalid_argument where a process to watch does not exist.
class MeasuredWindow {
 public:
  explicit MeasuredWindow(const WindowOptions& options);
  MeasuredWindow(const MeasuredWindow&) = delete;
  MeasuredWindow& operator=(const MeasuredWindow&) = delete;

  // For one thread, as soon as an iteration is complete, with how many are (first with 0): false
  // once the run is over. One load where nothing changed.
  bool goes_on(std::uint64_t done) {
    if (told_.load(std::memory_order_relaxed) == reached_) return reached_.stage != kOver;
    return step(done);
  }

  const Window& result() const { return window_; }

 private:
  enum Stage : int { kNotBegun, kBefore, kCounted, kAfter, kOver };

  // What the timer says: a stage, and how many of the times of --progress have passed.
  struct Told {
    Stage stage;
    unsigned times;
    bool operator==(const Told&) const = default;
  };

  bool step(std::uint64_t done);
  void enter(Stage stage, std::uint64_t done);
  void keep_time();
  void count_progress();
  void tell(Stage stage);
  unsigned times() const { return static_cast<unsigned>(window_.progress.size()); }

  WindowOptions options_;
  std::vector<clockid_t> clocks_;  // CPU clocks of the processes beside us
  Window window_;
  Told reached_ = {kNotBegun, 0};
  std::atomic<Told> told_;
  std::atomic<int> seen_ = kNotBegun;  // the last stage that the counting thread has reached
  std::jthread timer_;  // a clock read each iteration would cost as much as a barrier
};

}  // namespace epcc
