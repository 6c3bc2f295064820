// The part of a run that is counted: `seconds` long, after a margin, in whole iterations of the thread that calls
// goes_on(). The program runs on for the same margin afterwards, uncounted, so that of two programs side by side both
// run while either counts. All times are seconds of CLOCK_MONOTONIC.
//
// With a curve of progress (`--progress`) the count begins with the first iteration, whatever the margin, and ends with
// the last of the requested times.
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
  double ran_to = 0;    // announced to stop
  std::uint64_t iterations = 0;
  double cpu_seconds = 0;                  // of this process, within the window
  std::vector<double> beside_cpu_seconds;  // of each process named, within the window
  std::vector<Progress> progress;          // one for each requested time
};

// Throws std::invalid_argument if a process of `beside` does not exist.
class MeasuredWindow {
 public:
  explicit MeasuredWindow(const WindowOptions& options);
  MeasuredWindow(const MeasuredWindow&) = delete;
  MeasuredWindow& operator=(const MeasuredWindow&) = delete;

  // One thread calls this after each iteration with the number of complete ones, beginning with 0. False when the run
  // is over. One load if nothing has changed.
  bool goes_on(std::uint64_t done) {
    if (announced_.load(std::memory_order_relaxed) == reached_) return reached_.stage != kOver;
    return step(done);
  }

  const Window& result() const { return window_; }

 private:
  enum Stage : int { kNotBegun, kBefore, kCounted, kAfter, kOver };

  // Written by the timer: the stage, and how many of the times of --progress have passed.
  struct Announced {
    Stage stage;
    unsigned times;
    bool operator==(const Announced&) const = default;
  };

  bool step(std::uint64_t done);
  void enter(Stage stage, std::uint64_t done);
  void keep_time();
  void count_progress();
  void announce(Stage stage);
  unsigned times() const { return static_cast<unsigned>(window_.progress.size()); }

  WindowOptions options_;
  std::vector<clockid_t> clocks_;  // CPU clocks of the processes beside us
  Window window_;
  Announced reached_ = {kNotBegun, 0};
  std::atomic<Announced> announced_;
  std::atomic<int> seen_ = kNotBegun;  // the last stage that the counting thread has reached
  std::jthread timer_;  // a clock read each iteration would cost as much as a barrier
};

}  // namespace epcc
