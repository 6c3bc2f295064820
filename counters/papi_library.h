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
  char version[32] = {};  // "7.0.0.0"; empty if not available
  Reason reason;          // why it is not usable
};

// Whether to use a libpapi that is already in the process. The program may be using it, and two users of one PAPI in a
// thread stop each other's counting.
enum class Shared : bool { kNo, kYes };

// Opens `path`, or if it is null the first libpapi of a known name, and starts it. With Shared::kNo a libpapi that is
// already in the process is not used. The library stays open.
void open(Library& library, const char* path, Shared shared);

// Explains an error for `event`: PAPI's text, the component's reason, and what perf_event_paranoid forbids.
void explain(const Functions& papi, int error, const char* event, Reason& reason);

// kernel.perf_event_paranoid, which applies to all perf_event counters; false if there is none.
inline constexpr const char* kParanoid = "/proc/sys/kernel/perf_event_paranoid";
bool perf_event_paranoid(int& level);

}  // namespace muster::papi
