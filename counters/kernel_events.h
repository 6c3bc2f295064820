// Software events that the kernel counts for each thread, without a PMU and without PAPI: faults, context switches and
// CPU time by getrusage and the thread's clock, which are always permitted; migrations by perf_event_open. The names
// are those of PAPI and libpfm4 (`perf::PAGE-FAULTS`). They are counted here because PAPI offers them only with a PMU,
// and by default excludes what happens in the kernel, where all context switches do.
#pragma once

#include <cstdint>

namespace muster {

enum class KernelEvent : std::uint8_t {
  kPageFaults,
  kMinorFaults,
  kMajorFaults,
  kContextSwitches,
  kTaskClock,  // ns
  kMigrations,
};

struct KernelEventName {
  const char* name;
  const char* other;  // the name in the kernel's header, without PERF_COUNT_SW_
  const char* meaning;
  KernelEvent event;
};

inline constexpr KernelEventName kKernelEvents[] = {
    {"perf::PAGE-FAULTS", "PAGE_FAULTS", "page faults", KernelEvent::kPageFaults},
    {"perf::FAULTS", "PAGE_FAULTS", "page faults", KernelEvent::kPageFaults},
    {"perf::MINOR-FAULTS", "PAGE_FAULTS_MIN", "page faults served without a disk",
     KernelEvent::kMinorFaults},
    {"perf::MAJOR-FAULTS", "PAGE_FAULTS_MAJ", "page faults that had to read a file",
     KernelEvent::kMajorFaults},
    {"perf::CONTEXT-SWITCHES", "CONTEXT_SWITCHES", "times that a thread lost or left its CPU",
     KernelEvent::kContextSwitches},
    {"perf::CS", "CONTEXT_SWITCHES", "times that a thread lost or left its CPU",
     KernelEvent::kContextSwitches},
    {"perf::TASK-CLOCK", "TASK_CLOCK", "CPU time in ns", KernelEvent::kTaskClock},
    {"perf::CPU-CLOCK", "CPU_CLOCK", "CPU time in ns", KernelEvent::kTaskClock},
    {"perf::CPU-MIGRATIONS", "CPU_MIGRATIONS", "times that a thread changed its CPU",
     KernelEvent::kMigrations},
    {"perf::MIGRATIONS", "CPU_MIGRATIONS", "times that a thread changed its CPU",
     KernelEvent::kMigrations},
};

// Case does not matter. Null if it is none of these.
const KernelEventName* kernel_event(const char* name);

// The calling thread's counter of migrations: opened, read and closed by it. A program may close a descriptor that is
// not its own and get the number for another file, so each read first checks that it is still the counter.
class MigrationCounter {
 public:
  int open();  // 0, or the error number
  bool read(std::uint64_t& value) const;
  void close();

 private:
  bool is_ours() const;

  long descriptor_ = -1;
  std::uint64_t id_ = 0;
};

// The kernel's counts for the calling thread, read at most once for several events.
class KernelCounts {
 public:
  explicit KernelCounts(const MigrationCounter& migrations) : migrations_(migrations) {}
  bool read(KernelEvent event, std::uint64_t& value);

 private:
  const MigrationCounter& migrations_;
  bool has_usage_ = false;
  std::uint64_t minor_faults_ = 0;
  std::uint64_t major_faults_ = 0;
  std::uint64_t switches_ = 0;
};

}  // namespace muster
