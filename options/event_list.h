// A list of event names with commas between them, as MUSTER_COUNTERS takes it.
#pragma once

#include <cstddef>

namespace muster {

inline constexpr unsigned kMostEvents = 32;
inline constexpr unsigned kMostEventName = 127;

// Calls take(name, length) for each name, until one is empty, overlong or refused: then false.
template <class Take>
constexpr bool for_each_event_name(const char* list, Take&& take) {
  for (;;) {
    std::size_t length = 0;
    while (list[length] != ',' && list[length] != '\0') ++length;
    if (length == 0 || length > kMostEventName || !take(list, length)) return false;
    if (list[length] == '\0') return true;
    list += length + 1;
  }
}

constexpr bool is_event_list(const char* list) {
  unsigned count = 0;
  return for_each_event_name(list,
                             [&](const char*, std::size_t) { return ++count <= kMostEvents; });
}

}  // namespace muster
