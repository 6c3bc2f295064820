// What the system does not provide to Muster in this process, for the report and `muster doctor`: first what the load
// sensor did not find at its last look, then what was refused to platform/ at any time.
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
  static constexpr unsigned kMost = 6 + kMissingKinds;
  MissingItem items[kMost];
  unsigned count = 0;

  void add(const MissingItem& item) {
    if (count < kMost) items[count++] = item;
  }
  const MissingItem* begin() const { return items; }
  const MissingItem* end() const { return items + count; }
};

// For an empty snapshot, the list has no items of the sensor.
MissingList list_missing(const LoadSnapshot& load);

}  // namespace muster
