// The timeline of a thread (MUSTER_TIMELINE): its regions, waits and sleeps, in a ring that holds the last events.
//
// Cost: nothing when off. An event takes two readings of the clock and a store of 24 bytes into memory that was
// allocated and touched when the thread first ran in a region of a team. Only the thread writes its ring.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "waiting/wait_meter.h"
#include "waiting/wait_stats.h"

namespace muster {

namespace detail {
inline constinit std::atomic<bool> g_timeline{false};
}

// Whether threads record what they do.
inline bool timeline_is_on() { return detail::g_timeline.load(std::memory_order_relaxed); }

enum class TimelineKind : std::uint8_t {
  kRegion,
  kWaitForTeammates,
  kWaitContended,
  kWaitForCompetitor,
  kSleep,
  kTurn,
  kMoved,
};

constexpr const char* name_of(TimelineKind kind) {
  switch (kind) {
    case TimelineKind::kRegion:
      return "region";
    case TimelineKind::kWaitForTeammates:
      return "wait for teammates";
    case TimelineKind::kWaitContended:
      return "wait, team contended";
    case TimelineKind::kWaitForCompetitor:
      return "wait, another process had the CPU";
    case TimelineKind::kSleep:
      return "sleep";
    case TimelineKind::kTurn:
      return "sleep in another process's turn";
    case TimelineKind::kMoved:
      return "moved to another CPU";
  }
  return "";
}

struct TimelineEvent {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  TimelineKind kind{};
};

class ThreadTimeline : private WaitMeter {
 public:
  static constexpr std::uint64_t kEvents = 16384;  // a power of two

  // For the calling thread and those that take over its state when it has ended. Null if there is no memory.
  static ThreadTimeline* make();

  // A region is identified by an address of something in it. `outermost`: no region encloses it.
  void region_begins(const void* region, bool outermost);
  void region_ends(const void* region);
  // `inner` listens to the waits, too; may be null.
  WaitMeter* meter(WaitMeter* inner) {
    inner_ = inner;
    return this;
  }

  // Any thread may call these at any time. The oldest events that are left may just be overwritten.
  pid_t thread() const { return thread_; }
  std::uint64_t written() const { return written_.load(std::memory_order_acquire); }
  const TimelineEvent& event(std::uint64_t number) const { return events_[number % kEvents]; }
  ThreadTimeline* next = nullptr;  // of the list of all

 private:
  static constexpr unsigned kDepth = 4;  // nested regions further inside have no event

  ThreadTimeline();
  void add(TimelineKind kind, std::uint64_t begin_ns, std::uint64_t end_ns);
  void wait_begins_here(const WaitStats& stats);
  void wait_ends_here(const WaitStats& stats);

  WaitMeter* inner_ = nullptr;
  TimelineEvent* events_ = nullptr;
  std::atomic<std::uint64_t> written_{0};
  struct {
    const void* region = nullptr;
    std::uint64_t begin_ns = 0;
  } open_[kDepth];
  unsigned depth_ = 0;
  std::uint64_t wait_ns_ = 0;
  std::uint64_t sleep_ns_ = 0;
  std::uint64_t long_yields_ = 0;
  std::uint64_t contended_ = 0;
  std::uint64_t moves_ = 0;
  pid_t thread_ = 0;
};

// Of all threads, newest first.
ThreadTimeline* first_timeline();

void timelines_after_fork();

}  // namespace muster
