// libpapi, opened by name and asked for its version. For libmuster.so and for the launcher.
#pragma once

#include <cstddef>

#include "counters/papi_abi.h"

namespace muster::papi {

inline constexpr std::size_t kMostReason = 384;

// The reason why something is not available, for people: one line.
struct Reason {
  char text[kMostReason] = {};

  bool empty() const { return text[0] == '\0'; }
  __attribute__((format(printf, 2, 3))) void set(const char* format, ...);
  __attribute__((format(printf, 2, 3))) void append(const char* format, ...);
};

struct Library {
  Functions call;
  bool usable = false;
  char version[32] = {};  // "7.0.0.0"; empty where it could not be asked
  Reason reason;          // why it is not usable
};

// Whether the program itself has PAPI: two users of one PAPI in a thread stop each other's counting.
enum class Shared : bool { kNo, kYes };

// Opens `path`, or the first libpapi of a known name for a null one, and starts it. With
// Shared::kNo a libpapi that is in the process already is left alone. The library stays open.
void open(Library& library, const char* path, Shared shared);

// Why `component` of PAPI has nothing; null if it works or there is no such component. Those of
// event names are written before three colons ("sde:::..."); all others are component 0's.
const char* disabled_reason(const Functions& papi, const char* event);

// What an error means for `event`: PAPI's words, its component's, and what perf_event_paranoid
// forbids.
void explain(const Functions& papi, int error, const char* event, Reason& reason);

// kernel.perf_event_paranoid, of all that is counted by perf_event; false where there is none.
inline constexpr const char* kParanoid = "/proc/sys/kernel/perf_event_paranoid";
bool perf_event_paranoid(int& level);

}  // namespace muster::papi
