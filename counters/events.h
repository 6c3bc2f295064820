// The events of MUSTER_COUNTERS: what each is, and how it is counted in every thread. Determined once, by trying them
// in the thread that sets up.
#pragma once

#include <atomic>
#include <cstdint>

#include "counters/kernel_events.h"
#include "counters/papi_library.h"
#include "options/event_list.h"

namespace muster {

inline constexpr unsigned kMostSets = 4;

enum class EventSource : std::uint8_t { kHardware, kSoftware, kUnavailable };

constexpr const char* name_of(EventSource source) {
  switch (source) {
    case EventSource::kHardware:
      return "hardware";
    case EventSource::kSoftware:
      return "software";
    case EventSource::kUnavailable:
      return "unavailable";
  }
  return "";
}

struct Event {
  char name[kMostEventName + 1] = {};
  EventSource source = EventSource::kUnavailable;
  papi::Reason reason;
  const KernelEventName* of_kernel = nullptr;  // null: counted by PAPI
  int papi_code = 0;
  std::atomic<unsigned> missed{0};  // threads that could not count it
};

// The events of one component, which PAPI counts together.
struct EventSet {
  int component = 0;
  bool multiplexed = false;
  unsigned count = 0;
  unsigned events[kMostEvents] = {};  // their indices among all events
};

struct Events {
  Event events[kMostEvents];
  unsigned count = 0;
  EventSet sets[kMostSets];
  unsigned set_count = 0;
  bool wants_papi = false;
  papi::Library papi;

  unsigned available() const;
};

// Splits `setting` at its commas. False: an empty or overlong name, or too many.
bool parse_events(const char* setting, Events& events);

// Opens and starts PAPI for counting in threads. `path` and `shared` as in papi::open.
void start_papi(papi::Library& library, const char* path, papi::Shared shared);

// Determines how each event is counted, with the given events.papi. PAPI's events are tried in the calling thread.
void prepare_each(Events& events);

// Both of these. PAPI is started only if an event needs it or a path is given.
void prepare_events(Events& events, const char* papi_path, papi::Shared shared);

// Makes and starts one set in the calling thread; returns its error, or papi::kOk.
int start_set(const Events& events, const EventSet& set, int& handle);
void end_set(const Events& events, int& handle);

}  // namespace muster
