// Muster's own counts as PAPI's software-defined events, sde:::MUSTER::*. PAPI fetches a value when it reads the event,
// so they cost nothing otherwise. From the documentation of PAPI's libsde; nothing of it is needed to build.
#pragma once

namespace muster {

enum class MusterEvent : unsigned {
  kEpisodes,
  kSpins,
  kSuccessfulSpins,
  kBlocks,
  kWakeUps,
  kRetries,
  kYields,
};

struct MusterEventName {
  const char* name;
  const char* meaning;
  MusterEvent event;
};

inline constexpr MusterEventName kMusterEvents[] = {
    {"EPISODES", "barriers that Muster ran, counted once a team", MusterEvent::kEpisodes},
    {"SPINS", "waits at barriers that began with spinning", MusterEvent::kSpins},
    {"SUCCESSFUL_SPINS", "of these: ended without a sleep", MusterEvent::kSuccessfulSpins},
    {"BLOCKS", "sleeps at barriers", MusterEvent::kBlocks},
    {"WAKE_UPS", "returns from such a sleep", MusterEvent::kWakeUps},
    {"RETRIES", "compare-and-swaps or store-conditionals that failed on arrival",
     MusterEvent::kRetries},
    {"YIELDS", "sched_yield calls of waiting threads", MusterEvent::kYields},
};

// The table of functions that PAPI 7 passes to a library that defines events. Only these are called; the others are
// placeholders between them. PAPI 6 has a different order.
struct SdeFunctions {
  using Handle = void*;
  using Count = long long (*)(void* which);

  Handle (*init)(const char* library);
  void* shutdown;
  void* register_counter;
  int (*register_counter_cb)(Handle handle, const char* event, int mode, int type, Count count,
                             void* which);
  void* unregister_counter;
  int (*describe_counter)(Handle handle, const char* event, const char* meaning);
};

// Whether the PAPI of this process has the functions in that order.
bool hands_out_sde_functions();

// Defines the events. `count` is called with a pointer to the MusterEventName.
void* define_muster_events(const SdeFunctions& sde, SdeFunctions::Count count);

// The same with the libsde of this process, if the process uses PAPI. Does nothing once it has succeeded.
void publish_muster_events(SdeFunctions::Count count);

}  // namespace muster
