// Muster's counters as software-defined events of PAPI: the function that PAPI calls to list them
// (papi_native_avail -sde libmuster.so), and the one that it calls to read one.
#include <cstdlib>

#include "counters/muster_events.h"
#include "options/table.h"
#include "platform/yield_cpu.h"
#include "preload/entry.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/teams/accounting.h"

namespace muster {
namespace {

std::uint64_t count_of(MusterEvent event, const SumsSoFar& sums) {
  switch (event) {
    case MusterEvent::kEpisodes:
      return sums.instances;
    case MusterEvent::kSpins:
      return sums.waits.spins_begun.read();
    case MusterEvent::kSuccessfulSpins:
      return sums.waits.spins_succeeded.read();
    case MusterEvent::kBlocks:
      return sums.waits.blocks.read();
    case MusterEvent::kWakeUps:
      return sums.waits.wakeups.read();
    case MusterEvent::kRetries:
      return sums.waits.failed_updates.read();
    case MusterEvent::kYields:
      return sums.waits.yields.read();
  }
  return 0;
}

// The lock is held for microseconds, while a team is created. If it is still held after many tries, a signal has
// interrupted the thread that holds it. Then the last value is returned again, since counters never decrease.
bool sum_patiently(SumsSoFar& sums) {
  constexpr unsigned kTries = 10'000;
  for (unsigned i = 0; i < kTries; ++i) {
    if (sum_so_far(sums)) return true;
    give_way();
  }
  return false;
}

long long count_of_event(void* which) {
  static std::atomic<std::uint64_t> last[std::size(kMusterEvents)];
  const MusterEvent event = static_cast<const MusterEventName*>(which)->event;
  std::atomic<std::uint64_t>& its_last = last[static_cast<unsigned>(event)];
  SumsSoFar sums;
  if (sum_patiently(sums)) its_last.store(count_of(event, sums), std::memory_order_relaxed);
  return static_cast<long long>(its_last.load(std::memory_order_relaxed));
}

}  // namespace

void publish_counts() {
  bool on = true;
  const char* value = std::getenv(option_of(Setting::on).variable);
  if (value != nullptr && kind::OnOff::parse(value, on) && !on) return;
  // Without PAPI the loader is not called: a thread that waits for this one may hold its lock.
  for (const char* name : {"PAPI_library_init", "papi_sde_init"}) {
    if (is_defined(name)) {
      publish_muster_events(count_of_event);
      return;
    }
  }
}

// papi_native_avail opens this library and calls this with the functions that define events.
MUSTER_EXPORT void* papi_sde_hook_list_events(const SdeFunctions* sde) {
  return sde != nullptr && hands_out_sde_functions() ? define_muster_events(*sde, count_of_event)
                                                     : nullptr;
}

}  // namespace muster
