// The part of a run that is counted: from the moment the margin before it is over until `seconds`
// later, in whole iterations of the thread that asks. With a margin, the program works on for as
// long after it, uncounted: so two programs side by side are both still there while either counts.
// All times are seconds of CLOCK_MONOTONIC, all CPU times seconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace epcc {

struct Window {
  double ran_from = 0;  // first iteration begun
  double from = 0;      // counted from here
  double to = 0;        // to here
  double ran_to = 0;    // told to stop
  std::uint64_t iterations = 0;
  double cpu_seconds = 0;                  // of this process, within the window
  std::vector<double> beside_cpu_seconds;  // of each process named, within the window
};

// Throws std::invalid_argument where a process to watch does not exist.
class MeasuredWindow {
 public:
  MeasuredWindow(double seconds, double margin, const std::vector<int>& beside);
  MeasuredWindow(const MeasuredWindow&) = delete;
  MeasuredWindow& operator=(const MeasuredWindow&) = delete;

  // For one thread, before each iteration, with how many it has done: false once the run is over.
  // One load where nothing changed.
  bool goes_on(std::uint64_t done) {
    if (told_.load(std::memory_order_relaxed) == reached_) return reached_ != kOver;
    return step(done);
  }

  const Window& result() const { return window_; }

 private:
  enum Stage { kNotBegun, kBefore, kCounted, kAfter, kOver };

  bool step(std::uint64_t done);
  void keep_time();
  void tell(Stage stage);

  double seconds_;
  double margin_;
  std::vector<int> clocks_;  // CPU clocks of the processes beside us
  Window window_;
  Stage reached_ = kNotBegun;
  std::atomic<int> told_ = kBefore;
  std::atomic<int> seen_ = kNotBegun;  // the last stage that the counting thread has reached
  std::jthread timer_;  // a clock read each iteration would cost as much as a barrier
};

}  // namespace epcc
