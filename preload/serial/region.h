// What a serial OpenMP keeps of the construct that a thread is in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace muster::serial {

// A parallel region, or the code around all of them. Its worksharing constructs come one after the other,
// so there is room for one.
struct Region {
  Region* outer = nullptr;
  bool has_share = false;  // a loop's iterations, still to be handed out: all at once
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::int64_t step = 0;
  unsigned section = 0;  // the last one handed out, of so many
  unsigned sections = 0;
  std::uintptr_t* reductions = nullptr;  // of gcc's, innermost first
  void* memory = nullptr;                // that a construct of gcc's has asked for
  std::size_t memory_bytes = 0;
  std::atomic<unsigned> events{0};  // of detached tasks, that somebody has to fulfil
};

Region& region();

// A region whose function is called from here.
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
