#include "preload/launcher/compare/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace muster::launcher {
namespace {

constexpr std::size_t kBar = 24;
constexpr std::size_t kUsualWidth = 80;

// Of the terminal. A longer line would wrap, and not be overwritten by the next one.
std::size_t width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                         : kUsualWidth;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<unsigned long>(std::max(0.0, seconds) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

void Progress::begin(std::size_t load, std::size_t variant, std::string what) {
  current_ = {load, variant};
  what_ = std::move(what);
  begun_ = std::chrono::steady_clock::now();
}

void Progress::end(double seconds) {
  for (Mean* mean : {&seconds_[current_], &all_}) {
    mean->sum += seconds;
    mean->count += 1;
  }
}

double Progress::expected(const Key& key) const {
  const auto found = seconds_.find(key);
  const Mean& mean = found == seconds_.end() ? all_ : found->second;
  return mean.count > 0 ? mean.sum / mean.count : 0;
}

double Progress::left(const Comparison& comparison) const {
  if (all_.count == 0) return -1;
  double sum = 0;
  for (unsigned round = 0; round < comparison.rounds; ++round) {
    for (std::size_t load = 0; load < comparison.loads.size(); ++load) {
      for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
        if (!comparison.has(round, load, i)) sum += expected({load, i});
      }
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
  return std::max(0.0, sum - std::min(elapsed.count(), expected(current_)));
}

void Progress::show(const Comparison& comparison) {
  if (!is_shown_) return;
  const std::size_t all = comparison.rounds * comparison.loads.size() * comparison.variants.size();
  const std::size_t done = kBar * comparison.runs.size() / std::max<std::size_t>(all, 1);
  const double seconds = left(comparison);
  std::string line =
      fmt::format("[{}{}] {} {}", std::string(done, '#'), std::string(kBar - done, '-'),
                  seconds < 0 ? "" : duration_text(seconds) + " left, ", what_);
  line.resize(std::min(line.size(), width() - 1));
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!is_shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace muster::launcher
