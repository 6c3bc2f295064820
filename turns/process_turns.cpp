#include "turns/process_turns.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "load/load_sensor.h"
#include "platform/affinity.h"
#include "platform/clock.h"
#include "platform/missing.h"
#include "platform/mpi_job.h"
#include "platform/shared_segment.h"

namespace muster {
namespace {

constexpr unsigned kKey = 0x4d757374;

constinit Turns g_turns;
SharedSegment g_segment;
CpuSet g_first_cpus;  // of the thread that initialized the library
// A rank waits for the messages of others in its own turn, while they sleep until theirs.
bool g_is_rank_of_several;
std::atomic<std::uint64_t> g_bound_cpus[CpuSet::kWords];

CpuSet cpus_of_caller() {
  CpuSet out;
  AffinityMask mask;
  if (!mask.read()) return out;
  for (unsigned cpu = 0; cpu < CpuSet::kMostCpus; ++cpu) {
    if (mask.has(cpu)) out.add(cpu);
  }
  return out;
}

TurnPage* open_page(void*) {
  int error = EOPNOTSUPP;
  void* place =
      g_is_rank_of_several ? nullptr : g_segment.attach(segment_key(kKey), sizeof(TurnPage), error);
  if (place == nullptr) note_missing(Missing::kSharedPage, error);
  return static_cast<TurnPage*>(place);
}

void read_needs(void*, TurnNeeds& needs) {
  needs.wants = process_load_sensor().team_threads();
  unsigned bound = 0;
  for (unsigned i = 0; i < CpuSet::kWords; ++i) {
    needs.cpus.words[i] = g_bound_cpus[i].load(std::memory_order_relaxed);
    if (needs.cpus.words[i] != 0) ++bound;
  }
  if (bound == 0) needs.cpus = g_first_cpus;
}

}  // namespace

Turns& process_turns() { return g_turns; }

void begin_turns() {
  g_first_cpus = cpus_of_caller();
  g_is_rank_of_several = mpi_ranks() > 1;
  const auto process = static_cast<std::uint64_t>(getpid());
  g_turns.begin({.open_page = open_page,
                 .read_needs = read_needs,
                 .id = process << 32 | (monotonic_ns() & 0xFFFF'FFFF) | 1});
}

void note_bound_cpus(const CpuSet& cpus) {
  for (unsigned i = 0; i < CpuSet::kWords; ++i)
    g_bound_cpus[i].fetch_or(cpus.words[i], std::memory_order_relaxed);
}

void end_turns() {
  g_turns.leave();
  g_segment.remove_if_last();
}

}  // namespace muster
