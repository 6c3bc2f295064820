// Calibration: the cost of putting a thread to sleep and of waking it, on this machine. CS is the unit of the `cs`
// policies (Tsafrir & Feitelson 4.2), W that of `conditional` (Arpaci-Dusseau & Culler 3.3). All times in ns.
//
//   context_switch  CS: two threads on one CPU wake each other by futex; half a round trip. It includes the wake call,
//                   the sleep call and the switch on that CPU.
//   wake            W: from just before the wake call until the sleeper, alone on another allowed CPU, has read the
//                   clock in its own code. The kernel picks the CPU, which has been idle for about 10 us at most; a
//                   CPU in a deeper sleep state takes longer. With one CPU allowed, CS is used instead.
//   wake_call       the cost of that wake call to its caller, with one sleeper.
//
// Each figure is the minimum of many repetitions: load can only make one longer, and seldom affects all. Under heavy
// load even the minimum is meaningless. A figure with too few repetitions or out of bounds is replaced by the default,
// and its CostNote gives the reason.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "platform/affinity.h"
#include "platform/clock.h"

namespace muster {

inline constexpr std::uint64_t kDefaultContextSwitchNs = 2'000;
inline constexpr std::uint64_t kDefaultWakeNs = 5'000;
inline constexpr std::uint64_t kDefaultWakeCallNs = 2'000;

// The bounds of a measured figure, both included.
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
  unsigned repeats = 0;  // the figure is the minimum of so many; 0 for a default

  bool measured() const { return note == CostNote::kMeasured; }
};

struct Calibration {
  Cost context_switch;
  Cost wake;
  Cost wake_call;
};

// The costs, by their names in the report, the verbose lines and `muster calibrate`.
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

// What a calibration uses. Tests substitute threads that fail and clocks of their own.
struct CalibrationMeans {
  int (*start_thread)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = &pthread_create;
  std::uint64_t (*now_ns)() = &monotonic_ns;
  const AffinityMask* cpus = nullptr;  // where W may be measured; null: where the caller may run
};

// "measured", or the source of the figure and the reason. Contains no comma.
const char* name_of(CostNote note);

// Measures with two threads of its own that block all signals. Takes about 0.3 ms on an idle machine. On a busy one it
// gives up after 8 ms of its threads' time, plus the slices that it waits for in between. The caller's affinity,
// signals and errno are unchanged. Thread-safe, and never fails.
Calibration calibrate(const CalibrationMeans& means = {});

// The better of two calibrations, cost by cost: a measured cost before a default, then the lower one.
Calibration least_of(const Calibration& one, const Calibration& other);

// Remembers where the calling thread may run, for the calibration of the process. When a policy asks for it later, the
// runtime may have bound the asking thread to one CPU (OMP_PROC_BIND).
void remember_allowed_cpus();

// The calibration of the process, measured on the first call (later calls are a load).
const Calibration& calibration();
inline std::uint64_t context_switch_ns() { return calibration().context_switch.ns; }
inline std::uint64_t wake_ns() { return calibration().wake.ns; }

// The same without measuring: null if calibration() has not been called yet.
const Calibration* calibration_if_done();

// Sets the function that is called with the calibration of the process once it is made. To be set before that.
void set_calibration_listener(void (*listener)(const Calibration&));

}  // namespace muster
