// What the system does not give Muster in this process, as a list: for the report, for `muster
// doctor`. What the load sensor did not find at its last look comes first, then what platform/
// was refused at any time.
#pragma once

#include <cstdint>

#include "load/load_snapshot.h"
#include "platform/missing.h"

namespace muster {

struct MissingItem {
  const char* what = "";
  const char* effect = "";
  const char* error = nullptr;  // "EPERM"; null where there is none or it has no name
  std::uint64_t times = 0;      // refusals; 0 where they are not counted
};

struct MissingList {
  static constexpr unsigned kMost = 5 + kMissingKinds;
  MissingItem items[kMost];
  unsigned count = 0;

  void add(const MissingItem& item) {
    if (count < kMost) items[count++] = item;
  }
  const MissingItem* begin() const { return items; }
  const MissingItem* end() const { return items + count; }
};

// `load` may be the empty snapshot: then nothing is said of the sensor.
MissingList list_missing(const LoadSnapshot& load);

}  // namespace muster
