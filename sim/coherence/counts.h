// What is counted for each simulated processor.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::coherence {

struct Counts {
  std::uint64_t loads = 0;
  // Of a spinning thread, which would have hit; not in `loads`.
  std::uint64_t polls_passed_over = 0;
  std::uint64_t stores = 0;
  std::uint64_t node_hits = 0;  // missed the nearest cache, found in the node's
  // Requests that left the node, by where they were served: by level, and last by memory.
  std::vector<std::uint64_t> read_misses;
  std::vector<std::uint64_t> ownership_misses;  // stores and updates
  std::uint64_t conditional_passes = 0;         // store-conditionals
  std::uint64_t conditional_fails = 0;
  std::uint64_t compare_fails = 0;  // of a locked compare-and-swap
  std::uint64_t retries = 0;     // requests that a snooped bus turned away: the line was on its way
  std::uint64_t prefetches = 0;  // lines asked for ahead of the thread
  std::uint64_t invalidations = 0;  // copies of other nodes that this one's requests took away

  explicit Counts(std::size_t places = 0) : read_misses(places), ownership_misses(places) {}

  std::uint64_t misses() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : read_misses) sum += count;
    for (const std::uint64_t count : ownership_misses) sum += count;
    return sum;
  }

  // Of what was counted since `before`.
  Counts since(const Counts& before) const;
  void add(const Counts& other);
};

}  // namespace muster::coherence
