// Judges the measured times: which figures are accepted, and which default replaces the others.
#include "waiting/calibration.h"

#include <atomic>
#include <cerrno>

#include "waiting/switch_timing.h"

namespace muster {
namespace {

// With fewer repetitions the minimum may still include a time slice of another process.
constexpr unsigned kEnoughRoundTrips = 8;
constexpr unsigned kEnoughWakes = 3;

Cost judge(const Repeats& repeats, unsigned enough, std::uint64_t parts, std::uint64_t otherwise) {
  if (repeats.count < enough) return {otherwise, CostNote::kBesideLoad, 0};
  const std::uint64_t ns = repeats.least_ns / parts;
  if (ns < kLeastCostNs) return {otherwise, CostNote::kBeyondBounds, 0};
  if (ns > kMostCostNs) {
    return {otherwise, repeats.time_ran_out ? CostNote::kBesideLoad : CostNote::kBeyondBounds, 0};
  }
  return {ns, CostNote::kMeasured, repeats.count};
}

Cost lesser(const Cost& one, const Cost& other) {
  if (one.measured() && other.measured()) {
    return {one.ns < other.ns ? one.ns : other.ns, CostNote::kMeasured,
            one.repeats + other.repeats};
  }
  return one.measured() ? one : other;
}

AffinityMask g_cpus;
bool g_cpus_known = false;
Calibration g_calibration;
std::atomic<bool> g_done{false};
void (*g_listener)(const Calibration&) = nullptr;

}  // namespace

const char* name_of(CostNote note) {
  constexpr const char* kNames[] = {"measured", "default: no threads", "default: beside load",
                                    "default: beyond bounds", "as context switch: one CPU"};
  return kNames[static_cast<unsigned>(note)];
}

Calibration calibrate(const CalibrationMeans& means) {
  const int saved = errno;
  const SwitchTimes times = time_switches(means);
  errno = saved;
  if (!times.threads_made) {
    return {{kDefaultContextSwitchNs, CostNote::kNoThreads, 0},
            {kDefaultWakeNs, CostNote::kNoThreads, 0},
            {kDefaultWakeCallNs, CostNote::kNoThreads, 0}};
  }
  Calibration result;
  result.context_switch = judge(times.round_trip, kEnoughRoundTrips, 2, kDefaultContextSwitchNs);
  result.wake = times.other_cpu ? judge(times.wake, kEnoughWakes, 1, kDefaultWakeNs)
                                : Cost{result.context_switch.ns, CostNote::kOneCpu, 0};
  result.wake_call = judge(times.wake_call, kEnoughWakes, 1, kDefaultWakeCallNs);
  return result;
}

Calibration least_of(const Calibration& one, const Calibration& other) {
  Calibration least{lesser(one.context_switch, other.context_switch), lesser(one.wake, other.wake),
                    lesser(one.wake_call, other.wake_call)};
  if (least.wake.note == CostNote::kOneCpu) least.wake.ns = least.context_switch.ns;
  return least;
}

void remember_allowed_cpus() { g_cpus_known = g_cpus.read(); }

const Calibration& calibration() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    g_calibration = calibrate({.cpus = g_cpus_known ? &g_cpus : nullptr});
    g_done.store(true, std::memory_order_release);
    if (g_listener != nullptr) g_listener(g_calibration);
  });
  return g_calibration;
}

const Calibration* calibration_if_done() {
  return g_done.load(std::memory_order_acquire) ? &g_calibration : nullptr;
}

void set_calibration_listener(void (*listener)(const Calibration&)) { g_listener = listener; }

}  // namespace muster
