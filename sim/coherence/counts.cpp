#include "sim/coherence/counts.h"

namespace muster::coherence {
namespace {

template <class Change>
void change(Counts& counts, const Counts& by, Change&& each) {
  each(counts.loads, by.loads);
  each(counts.polls_passed_over, by.polls_passed_over);
  each(counts.stores, by.stores);
  each(counts.node_hits, by.node_hits);
  for (std::size_t i = 0; i < counts.read_misses.size(); ++i) {
    each(counts.read_misses[i], by.read_misses[i]);
    each(counts.ownership_misses[i], by.ownership_misses[i]);
  }
  each(counts.conditional_passes, by.conditional_passes);
  each(counts.conditional_fails, by.conditional_fails);
  each(counts.compare_fails, by.compare_fails);
  each(counts.retries, by.retries);
  each(counts.prefetches, by.prefetches);
  each(counts.invalidations, by.invalidations);
}

}  // namespace

Counts Counts::since(const Counts& before) const {
  Counts out = *this;
  change(out, before, [](std::uint64_t& mine, std::uint64_t its) { mine -= its; });
  return out;
}

void Counts::add(const Counts& other) {
  change(*this, other, [](std::uint64_t& mine, std::uint64_t its) { mine += its; });
}

}  // namespace muster::coherence
