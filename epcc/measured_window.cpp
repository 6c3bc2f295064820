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

MeasuredWindow::MeasuredWindow(const WindowOptions& options) : options_(options) {
  for (const int process : options.beside) {
    clockid_t clock = 0;
    if (clock_getcpuclockid(process, &clock) != 0) {
      throw std::invalid_argument("--beside: there is no process " + std::to_string(process));
    }
    clocks_.push_back(clock);
  }
  window_.beside_cpu_seconds.resize(clocks_.size());
  window_.progress.resize(options.progress.size());
  const bool at_once = options.margin == 0 || !options.progress.empty();
  announced_ = Announced{at_once ? kCounted : kBefore, 0};
  timer_ = std::jthread([this] { keep_time(); });
}

// Each stage lasts from when the counting thread has reached it, which beside a load may be late.
void MeasuredWindow::keep_time() {
  seen_.wait(kNotBegun);
  if (seen_ == kBefore) {
    sleep_for(options_.margin);
    announce(kCounted);
  }
  if (options_.progress.empty()) {
    sleep_for(options_.seconds);
  } else {
    count_progress();
  }
  announce(kAfter);
  sleep_for(options_.margin);
  announced_ = Announced{kOver, times()};
}

// A team that hangs may complete no iteration between two of the times, so nothing waits for it.
void MeasuredWindow::count_progress() {
  for (unsigned i = 0; i < times(); ++i) {
    sleep_for(window_.ran_from + options_.progress[i] - seconds_of(CLOCK_MONOTONIC));
    window_.progress[i].seconds = seconds_of(CLOCK_MONOTONIC) - window_.ran_from;
    announced_ = Announced{kCounted, i + 1};
  }
}

void MeasuredWindow::announce(Stage stage) {
  announced_ = Announced{stage, times()};
  for (int seen = seen_.load(); seen != stage; seen = seen_.load()) seen_.wait(seen);
}

bool MeasuredWindow::step(std::uint64_t done) {
  const Announced announced = announced_.load();
  // The iteration that has just ended had not ended when the time was up.
  for (unsigned i = reached_.times; i < announced.times; ++i)
    window_.progress[i].iterations = done - 1;
  if (announced.stage != reached_.stage) enter(announced.stage, done);
  reached_ = announced;
  seen_ = announced.stage;
  seen_.notify_one();
  return reached_.stage != kOver;
}

void MeasuredWindow::enter(Stage stage, std::uint64_t done) {
  const double now = seconds_of(CLOCK_MONOTONIC);
  if (reached_.stage == kNotBegun) window_.ran_from = now;
  if (stage == kCounted) window_.from = now;
  if (stage == kAfter) window_.to = now;
  if (stage == kOver) window_.ran_to = now;
  if (stage != kCounted && stage != kAfter) return;
  const double sign = stage == kCounted ? -1 : 1;
  window_.iterations = done - window_.iterations;
  window_.cpu_seconds += sign * seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    window_.beside_cpu_seconds[i] += sign * seconds_of(clocks_[i]);
  }
}

}  // namespace epcc
