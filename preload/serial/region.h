// What the serial OpenMP stores about the construct that a thread is in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace muster::serial {

// A parallel region, or the code outside of all regions. It executes one worksharing construct at a time, so there is
// one set of fields for that.
struct Region {
  Region* outer = nullptr;
  bool has_share =
      false;  // the loop's iterations have not been handed out yet; all are handed out at once
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::int64_t step = 0;
  unsigned section = 0;  // the last one handed out, of `sections`
  unsigned sections = 0;
  std::uintptr_t* reductions = nullptr;  // gcc's descriptors, innermost first
  void* memory = nullptr;                // allocated for a construct of gcc's
  std::size_t memory_bytes = 0;
  std::atomic<unsigned> events{0};  // of detached tasks, still to be fulfilled
};

Region& region();

// A region during a call of its function.
class RegionScope {
 public:
  RegionScope();
  ~RegionScope();
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;

 private:
  Region region_;
};

}  // namespace muster::serial
