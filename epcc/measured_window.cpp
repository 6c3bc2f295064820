// See measured_window.h.
#include "epcc/measured_window.h"

#include <time.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace epcc {
namespace {

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);  // a process that has ended counts as 0
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void sleep_for(double seconds) {
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

MeasuredWindow::MeasuredWindow(double seconds, double margin, const std::vector<int>& beside)
    : seconds_(seconds), margin_(margin) {
  for (const int process : beside) {
    clockid_t clock = 0;
    if (clock_getcpuclockid(process, &clock) != 0) {
      throw std::invalid_argument("--beside: there is no process " + std::to_string(process));
    }
    clocks_.push_back(clock);
  }
  window_.beside_cpu_seconds.resize(clocks_.size());
  timer_ = std::jthread([this] { keep_time(); });
}

// Each stage lasts from when the counting thread has reached it, which beside a load may be late.
void MeasuredWindow::keep_time() {
  seen_.wait(kNotBegun);
  sleep_for(margin_);
  tell(kCounted);
  sleep_for(seconds_);
  tell(kAfter);
  sleep_for(margin_);
  told_.store(kOver, std::memory_order_relaxed);
}

void MeasuredWindow::tell(Stage stage) {
  told_.store(stage, std::memory_order_relaxed);
  for (int seen = seen_.load(); seen != stage; seen = seen_.load()) seen_.wait(seen);
}

bool MeasuredWindow::step(std::uint64_t done) {
  const auto told = static_cast<Stage>(told_.load(std::memory_order_relaxed));
  const double sign = told == kCounted ? -1 : 1;
  const double now = seconds_of(CLOCK_MONOTONIC);
  if (told == kBefore) window_.ran_from = now;
  if (told == kCounted) window_.from = now;
  if (told == kAfter) window_.to = now;
  if (told == kOver) window_.ran_to = now;
  if (told == kCounted || told == kAfter) {
    window_.iterations = done - window_.iterations;
    window_.cpu_seconds += sign * seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      window_.beside_cpu_seconds[i] += sign * seconds_of(clocks_[i]);
    }
  }
  reached_ = told;
  seen_.store(told);
  seen_.notify_one();
  return reached_ != kOver;
}

}  // namespace epcc
