#include "counters/events.h"

#include <pthread.h>

#include <cstring>

namespace muster {
namespace {

bool is_among(const Events& events, const char* name, std::size_t length) {
  for (unsigned i = 0; i < events.count; ++i) {
    const char* known = events.events[i].name;
    if (std::strncmp(known, name, length) == 0 && known[length] == '\0') return true;
  }
  return false;
}

bool starts_with(const char* text, const char* beginning) {
  return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

// Events that PAPI counts in software: those that programs define, and the kernel's.
EventSource source_of(const char* name) {
  return starts_with(name, "sde:::") || starts_with(name, "perf::") ? EventSource::kSoftware
                                                                    : EventSource::kHardware;
}

void refuse(Events& events, Event& event, int error) {
  event.source = EventSource::kUnavailable;
  papi::explain(events.papi.call, error, event.name, event.reason);
}

void prepare_kernel_event(Event& event) {
  MigrationCounter migrations;
  const bool migrates = event.of_kernel->event == KernelEvent::kMigrations;
  if (const int error = migrates ? migrations.open() : 0; error != 0) {
    event.reason.set("perf_event_open: %s", std::strerror(error));
    int level = 0;
    if (papi::perf_event_paranoid(level)) {
      event.reason.append("; %s is %d: 1 or less, or the capability CAP_PERFMON, allows it",
                          papi::kParanoid, level);
    }
    return;
  }
  std::uint64_t value = 0;
  if (KernelCounts(migrations).read(event.of_kernel->event, value)) {
    event.source = EventSource::kSoftware;
  } else {
    event.reason.set("the kernel does not tell it");
  }
  migrations.close();
}

// The set of the event's component; null if there are too many components.
EventSet* set_for(Events& events, int component) {
  for (unsigned i = 0; i < events.set_count; ++i) {
    if (events.sets[i].component == component) return &events.sets[i];
  }
  if (events.set_count == kMostSets) return nullptr;
  EventSet& set = events.sets[events.set_count++];
  set.component = component;
  return &set;
}

// An event is added to its set if the set still starts with it, either as it is or multiplexed.
void try_in_set(Events& events, unsigned place) {
  Event& event = events.events[place];
  const papi::Functions& papi = events.papi.call;
  if (const int error = papi.PAPI_event_name_to_code(event.name, &event.papi_code);
      error != papi::kOk) {
    return refuse(events, event, error);
  }
  const int component = papi.PAPI_get_event_component(event.papi_code);
  if (component < 0) return refuse(events, event, component);
  EventSet* set = set_for(events, component);
  if (set == nullptr) {
    event.reason.set("of more than %u components of PAPI", kMostSets);
    return;
  }
  const EventSet before = *set;
  set->events[set->count++] = place;
  int handle = papi::kNull;
  int error = start_set(events, *set, handle);
  end_set(events, handle);
  if ((error == papi::kConflict || error == papi::kNoCounters) && !set->multiplexed &&
      set->count > 1) {
    set->multiplexed = true;
    const int as_it_was = error;
    error = start_set(events, *set, handle);
    end_set(events, handle);
    if (error != papi::kOk) error = as_it_was;
  }
  if (error != papi::kOk) {
    *set = before;
    return refuse(events, event, error);
  }
  event.source = source_of(event.name);
}

}  // namespace

unsigned Events::available() const {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += events[i].source != EventSource::kUnavailable ? 1 : 0;
  return sum;
}

bool parse_events(const char* setting, Events& events) {
  return is_event_list(setting) &&
         for_each_event_name(setting, [&](const char* name, std::size_t length) {
           if (is_among(events, name, length)) return true;
           std::memcpy(events.events[events.count++].name, name, length);
           return true;
         });
}

void start_papi(papi::Library& library, const char* path, papi::Shared shared) {
  papi::open(library, path, shared);
  if (!library.usable) return;
  const papi::Functions& papi = library.call;
  if (const int error = papi.PAPI_thread_init([] { return pthread_self(); }); error != papi::kOk) {
    library.usable = false;
    library.reason.set("PAPI %s counts no threads: %s", library.version, papi.PAPI_strerror(error));
    return;
  }
  papi.PAPI_multiplex_init();
}

void prepare_each(Events& events) {
  for (unsigned i = 0; i < events.count; ++i) {
    Event& event = events.events[i];
    event.of_kernel = kernel_event(event.name);
    if (event.of_kernel != nullptr) {
      prepare_kernel_event(event);
    } else if (events.papi.usable) {
      try_in_set(events, i);
    } else {
      event.reason = events.papi.reason;
    }
  }
}

void prepare_events(Events& events, const char* papi_path, papi::Shared shared) {
  events.wants_papi = papi_path != nullptr;  // named by the user: opened in any case
  for (unsigned i = 0; i < events.count; ++i) {
    if (kernel_event(events.events[i].name) == nullptr) events.wants_papi = true;
  }
  if (events.wants_papi) start_papi(events.papi, papi_path, shared);
  prepare_each(events);
}

int start_set(const Events& events, const EventSet& set, int& handle) {
  const papi::Functions& papi = events.papi.call;
  handle = papi::kNull;
  if (const int error = papi.PAPI_create_eventset(&handle); error != papi::kOk) return error;
  if (set.multiplexed) {
    if (const int error = papi.PAPI_assign_eventset_component(handle, set.component);
        error != papi::kOk)
      return error;
    if (const int error = papi.PAPI_set_multiplex(handle); error != papi::kOk) return error;
  }
  for (unsigned i = 0; i < set.count; ++i) {
    const int error = papi.PAPI_add_event(handle, events.events[set.events[i]].papi_code);
    if (error != papi::kOk) return error;
  }
  return papi.PAPI_start(handle);
}

void end_set(const Events& events, int& handle) {
  if (handle == papi::kNull) return;
  const papi::Functions& papi = events.papi.call;
  long long values[kMostEvents];
  papi.PAPI_stop(handle, values);  // fails harmlessly if it was not started
  papi.PAPI_cleanup_eventset(handle);
  papi.PAPI_destroy_eventset(&handle);
  handle = papi::kNull;
}

}  // namespace muster
