// Calibration: what it costs on this machine to put a thread to sleep and to wake it. CS is the unit
// of the `cs` policies (Tsafrir & Feitelson 4.2), W that of `conditional` (Arpaci-Dusseau & Culler
// 3.3). All times in ns.
//
//   context_switch  CS: two threads on one CPU hand over to each other by futex; half a round trip.
//                   It holds the wake call, the sleep call and the switch, on that CPU.
//   wake            W: from just before the wake call until the sleeper, alone on another of the
//                   allowed CPUs, has read the clock in its own code. The kernel picks the CPU, which
//                   has been idle for some 10 us at most: a CPU that sleeps more deeply takes longer.
//                   With one CPU allowed there is no other, and CS takes its place.
//   wake_call       what that wake call costs the caller, with one sleeper.
//
// Each is the least of many repeats: load can only lengthen one, and it seldom lengthens all. Those
// who measure under load nevertheless can get nothing but nonsense, so a figure that comes of too few
// repeats or is out of bounds is replaced by the default, and says so.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "platform/affinity.h"
#include "platform/clock.h"

namespace muster {

inline constexpr std::uint64_t kDefaultContextSwitchNs = 2'000;
inline constexpr std::uint64_t kDefaultWakeNs = 5'000;
inline constexpr std::uint64_t kDefaultWakeCallNs = 2'000;

// What a measured figure must lie in, both ends included.
inline constexpr std::uint64_t kLeastCostNs = 200;
inline constexpr std::uint64_t kMostCostNs = 50'000;

enum class CostNote : std::uint8_t {
  kMeasured,
  kNoThreads,     // the default: no threads could be made
  kBesideLoad,    // the default: too few repeats, or none quick enough, before time was up
  kBeyondBounds,  // the default: measured, but not believed
  kOneCpu,        // W only: CS, since no other CPU is allowed
};

struct Cost {
  std::uint64_t ns = 0;
  CostNote note = CostNote::kMeasured;
  unsigned repeats = 0;  // that the figure is the least of; 0 for a default

  bool measured() const { return note == CostNote::kMeasured; }
};

struct Calibration {
  Cost context_switch;
  Cost wake;
  Cost wake_call;
};

// The costs, by the names that the report, the verbose lines and `muster calibrate` give them.
struct NamedCost {
  const char* key;   // for machines; a figure of it is key_ns
  const char* name;  // for people
  Cost Calibration::* cost;
};
inline constexpr NamedCost kCosts[] = {
    {"context_switch", "context switch", &Calibration::context_switch},
    {"wake", "wake-up", &Calibration::wake},
    {"wake_call", "wake call", &Calibration::wake_call},
};

// What a calibration is made with. Tests put failing threads and clocks of their own here.
struct CalibrationMeans {
  int (*start_thread)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = &pthread_create;
  std::uint64_t (*now_ns)() = &monotonic_ns;
  const AffinityMask* cpus = nullptr;  // where W may be measured; null: where the caller may run
};

// "measured", or where the figure comes from instead, and why. No comma in it.
const char* name_of(CostNote note);

// Measures, by two threads of its own that take no signals, in some 0.3 ms on an idle machine; on a
// busy one it gives up after 8 ms of its threads' time and the slices that it waits for meanwhile.
// The caller's affinity, signals and errno are as before. Thread-safe, and never fails.
Calibration calibrate(const CalibrationMeans& means = {});

// The better of two calibrations, cost by cost: measured before assumed, then the lesser.
Calibration least_of(const Calibration& one, const Calibration& other);

// Remembers where the calling thread may run, for the process's own calibration: by the time that a
// policy asks for one, the runtime may have bound the asking thread to one CPU (OMP_PROC_BIND).
void remember_allowed_cpus();

// The process's own, measured the first time it is asked for (later calls are a load).
const Calibration& calibration();
inline std::uint64_t context_switch_ns() { return calibration().context_switch.ns; }
inline std::uint64_t wake_ns() { return calibration().wake.ns; }

// The same without measuring: null when nobody has asked yet.
const Calibration* calibration_if_done();

// Whom the process's own calibration is told to once it is made; set before, if at all.
void tell_calibration_to(void (*listener)(const Calibration&));

}  // namespace muster
