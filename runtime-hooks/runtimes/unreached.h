// OpenMP runtimes of this process whose calls do not reach Muster, and why, as far as the loaded objects show it: for
// the report. Costs nothing without a report.
#pragma once

#include <cstdint>

#include "runtime-hooks/runtimes/runtime.h"

namespace muster {

enum class WhyUnreached : std::uint8_t {
  kNotCalled,         // it is loaded, but was not called
  kBoundPast,         // an object's calls are bound to it directly (RTLD_DEEPBIND, -Bsymbolic)
  kOtherNamespace,    // opened by dlmopen, where no object is preloaded
  kLinkedStatically,  // it is part of a program or object, which calls it without the loader
};

constexpr const char* name_of(WhyUnreached why) {
  switch (why) {
    case WhyUnreached::kNotCalled:
      return "not called";
    case WhyUnreached::kBoundPast:
      return "bound past Muster";
    case WhyUnreached::kOtherNamespace:
      return "another namespace";
    case WhyUnreached::kLinkedStatically:
      return "linked statically";
  }
  return "";
}

struct Unreached {
  WhyUnreached why = WhyUnreached::kNotCalled;
  RuntimeKind kind = RuntimeKind::kLibomp;
  char path[1024] = {};    // of the runtime, or of what it is linked into
  char object[1024] = {};  // that calls it directly; else empty
};

inline constexpr unsigned kMaxUnreached = 16;

// Slow (some ms). Returns how many.
unsigned find_unreached(Unreached (&out)[kMaxUnreached]);

}  // namespace muster
