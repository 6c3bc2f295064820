// A progress bar with the time left, on stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "preload/launcher/compare/comparison.h"

namespace muster::launcher {

// The time left is estimated from the runs that were made: of the same variant in the same case, else from all.
class Progress {
 public:
  explicit Progress(bool is_shown) : is_shown_(is_shown) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void begin(std::size_t load, std::size_t variant, std::string what);
  void end(double seconds);
  void show(const Comparison& comparison);
  void clear();

 private:
  using Key = std::pair<std::size_t, std::size_t>;
  struct Mean {
    double sum = 0;
    double count = 0;
  };

  double expected(const Key& key) const;
  // Seconds; negative: not known yet.
  double left(const Comparison& comparison) const;

  bool is_shown_;
  std::map<Key, Mean> seconds_;
  Mean all_;
  Key current_;
  std::string what_;
  std::chrono::steady_clock::time_point begun_;
};

// "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

}  // namespace muster::launcher
