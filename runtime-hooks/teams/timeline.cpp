#include "runtime-hooks/teams/timeline.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "platform/clock.h"
#include "platform/optional_calls.h"
#include "platform/pages.h"

namespace muster {
namespace {

std::atomic<ThreadTimeline*> g_first{nullptr};

std::uint64_t moves_in(const WaitStats& stats) { return stats.moves.read() + stats.nudges.read(); }

}  // namespace

ThreadTimeline::ThreadTimeline() : WaitMeter{} {
  wait_begins = [](WaitMeter& self, const WaitStats& stats) {
    static_cast<ThreadTimeline&>(self).wait_begins_here(stats);
  };
  wait_ends = [](WaitMeter& self, const WaitStats& stats) {
    static_cast<ThreadTimeline&>(self).wait_ends_here(stats);
  };
  sleep_begins = [](WaitMeter& self) {
    static_cast<ThreadTimeline&>(self).sleep_ns_ = monotonic_ns();
  };
  sleep_ends = [](WaitMeter& self) {
    auto& here = static_cast<ThreadTimeline&>(self);
    here.add(TimelineKind::kSleep, here.sleep_ns_, monotonic_ns());
  };
  slept_in_turn = [](WaitMeter& self, std::uint64_t begin_ns, std::uint64_t end_ns) {
    static_cast<ThreadTimeline&>(self).add(TimelineKind::kTurn, begin_ns, end_ns);
  };
  thread_ = static_cast<pid_t>(optional_call(SYS_gettid));
}

ThreadTimeline* ThreadTimeline::make() {
  constexpr std::size_t kRing = kEvents * sizeof(TimelineEvent);
  void* place = map_pages(sizeof(ThreadTimeline));
  void* ring = map_pages(kRing);
  if (place == nullptr || ring == nullptr) {
    unmap_pages(place, sizeof(ThreadTimeline));
    unmap_pages(ring, kRing);
    return nullptr;
  }
  std::memset(ring, 0, kRing);  // no page fault later
  auto* timeline = ::new (place) ThreadTimeline();
  timeline->events_ = static_cast<TimelineEvent*>(ring);
  timeline->next = g_first.load(std::memory_order_relaxed);
  while (!g_first.compare_exchange_weak(timeline->next, timeline, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  return timeline;
}

void ThreadTimeline::add(TimelineKind kind, std::uint64_t begin_ns, std::uint64_t end_ns) {
  const std::uint64_t number = written_.load(std::memory_order_relaxed);
  events_[number % kEvents] = {begin_ns, end_ns, kind};
  written_.store(number + 1, std::memory_order_release);
}

void ThreadTimeline::region_begins(const void* region, bool outermost) {
  if (outermost) depth_ = 0;
  if (depth_ < kDepth) open_[depth_] = {region, monotonic_ns()};
  ++depth_;
}

// Regions that never ended, because of longjmp or an exception, are above it.
void ThreadTimeline::region_ends(const void* region) {
  if (depth_ > kDepth) {
    --depth_;
    return;
  }
  for (unsigned depth = depth_; depth-- > 0;) {
    if (open_[depth].region != region) continue;
    add(TimelineKind::kRegion, open_[depth].begin_ns, monotonic_ns());
    depth_ = depth;
    return;
  }
}

void ThreadTimeline::wait_begins_here(const WaitStats& stats) {
  if (inner_ != nullptr) inner_->wait_begins(*inner_, stats);
  long_yields_ = stats.long_yields.read();
  contended_ = stats.contended.read();
  moves_ = moves_in(stats);
  wait_ns_ = monotonic_ns();
}

void ThreadTimeline::wait_ends_here(const WaitStats& stats) {
  const std::uint64_t now_ns = monotonic_ns();
  const TimelineKind cause =
      stats.long_yields.read() != long_yields_ ? TimelineKind::kWaitForCompetitor
      : stats.contended.read() != contended_   ? TimelineKind::kWaitContended
                                               : TimelineKind::kWaitForTeammates;
  add(cause, wait_ns_, now_ns);
  if (moves_in(stats) != moves_) add(TimelineKind::kMoved, now_ns, now_ns);
  if (inner_ != nullptr) inner_->wait_ends(*inner_, stats);
}

ThreadTimeline* first_timeline() { return g_first.load(std::memory_order_acquire); }

// The child's thread goes on with its own; what it held was the parent's.
void timelines_after_fork() { g_first.store(nullptr, std::memory_order_relaxed); }

}  // namespace muster
