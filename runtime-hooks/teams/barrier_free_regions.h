// Most regions of most programs contain no barrier, and passing a team to their threads costs a line transfer. So a
// thread remembers the functions of the regions that it forks, and a function that executed no barrier for some runs
// gets no team. If it executes one after all, all threads of the region find no frame and use the real barrier
// together, and from then on the function gets teams.
#pragma once

#include <atomic>
#include <cstdint>

namespace muster {

// How many barriers of all threads found no frame. Read by threads that fork regions without a team.
extern std::atomic<std::uint32_t> g_frames_missed;

// One thread's table, keyed by address. A function that is loaded at the address of an unloaded one is taken for that
// one until it executes a barrier.
class BarrierFreeRegions {
 public:
  bool is_barrier_free(const void* function) const {
    const Place& place = places_[index_of(function)];
    return place.function == function && place.runs == kEnough;
  }

  bool has_barriers(const void* function) const {
    const Place& place = places_[index_of(function)];
    return place.function == function && place.runs == kNever;
  }

  // A region with a team has ended.
  void ran(const void* function, bool met_barrier) {
    Place& place = places_[index_of(function)];
    if (place.function != function) place = {function, 0};
    if (met_barrier) {
      place.runs = kNever;
    } else if (place.runs < kEnough) {
      ++place.runs;
    }
  }

  // A region without a team has executed a barrier.
  void met_barrier(const void* function) { places_[index_of(function)] = {function, kNever}; }

 private:
  struct Place {
    const void* function = nullptr;
    std::uint8_t runs = 0;
  };
  static constexpr std::uint8_t kEnough = 8;
  static constexpr std::uint8_t kNever = 255;
  static constexpr unsigned kPlaces = 32;

  static unsigned index_of(const void* function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    return static_cast<unsigned>((address >> 4 ^ address >> 9) % kPlaces);
  }

  Place places_[kPlaces];
};

}  // namespace muster
