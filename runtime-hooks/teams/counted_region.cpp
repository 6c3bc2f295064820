#include "runtime-hooks/teams/counted_region.h"

#include <utility>

#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/team.h"
#include "runtime-hooks/teams/timeline.h"

namespace muster::detail {
namespace {

// Null if there is no memory.
ThreadCounters* counters_of(ThreadState& state) {
  if (counting() && state.counters == nullptr) state.counters = new_thread_counters();
  return state.counters;
}

ThreadTimeline* timeline_of(ThreadState& state) {
  if (timeline_is_on() && state.timeline == nullptr) state.timeline = ThreadTimeline::make();
  return state.timeline;
}

}  // namespace

WaitMeter* find_wait_meter(ThreadState& state) {
  ThreadCounters* counters = counters_of(state);
  WaitMeter* meter = counters != nullptr ? counters->meter() : nullptr;
  ThreadTimeline* timeline = timeline_of(state);
  return timeline != nullptr ? timeline->meter(meter) : meter;
}

void region_begins(ThreadState& state, const Frame& frame) {
  const bool outermost = frame.outer == nullptr;
  if (state.sites != nullptr && state.sites->wanted_size != nullptr) {
    const int size = frame.team != nullptr ? frame.team->runtime().team_size() : 0;
    *std::exchange(state.sites->wanted_size, nullptr) = static_cast<unsigned>(size);
  }
  if (ThreadTimeline* timeline = timeline_of(state)) timeline->region_begins(&frame, outermost);
  if (ThreadCounters* counters = counters_of(state)) counters->region_begins(&frame, outermost);
}

void region_ends(const ThreadState& state, const Frame& frame) {
  if (state.counters != nullptr) state.counters->region_ends(&frame);
  if (state.timeline != nullptr) state.timeline->region_ends(&frame);
}

}  // namespace muster::detail
