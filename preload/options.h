// The option table: every environment variable that libmuster.so reads, once. It drives the parsing
// in the library, the verbose dump, `muster options`, the launcher's flags and the README's table
// (a test compares the two). No libstdc++ at run time: this header is compiled into libmuster.so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "barriers/names.h"
#include "runtime-hooks/folding/fold_counts.h"
#include "runtime-hooks/runtimes/yields/yield_kind.h"
#include "waiting/names.h"

namespace muster {

struct Option {
  const char* name;      // the environment variable
  const char* fallback;  // what is used where it is unset or bad
  const char* values;    // what may be written, for people
  const char* help;      // one sentence
};

// The one place that says what is done with regions where nobody asks.
inline constexpr ForkJoin kDefaultForkJoin = ForkJoin::kAuto;

inline constexpr Option kOptions[] = {
    {"MUSTER", "on", "on|off",
     "`off` switches everything off: every call goes to the real runtime."},
    {"MUSTER_BARRIER", "auto", MUSTER_BARRIER_VALUES,
     "The barrier algorithm. `auto` chooses per team, from its size and the topology."},
    {"MUSTER_WAIT", "auto", MUSTER_WAIT_VALUES,
     "How a thread waits: how long it spins before it blocks. `auto` decides per team."},
    {"MUSTER_SLICE", "auto", "auto|off|<n>us",
     "Beside strangers, ask the kernel for a time slice of this length (`auto`: 100us)."},
    {"MUSTER_PLACE", "auto", "auto|off",
     "Move a team's threads between its CPUs while that pays, unless the user placed them."},
    {"MUSTER_YIELD", "auto", MUSTER_YIELD_VALUES,
     "A `sched_yield` that the OpenMP runtime calls: the system call, mostly none, or as fits."},
    {"MUSTER_FORKJOIN", name_of(kDefaultForkJoin), "auto|on|off",
     "Whether Muster forks and joins parallel regions itself; `auto`: where that pays."},
    {"MUSTER_WAIT_BASE", "", "<n>us",
     "With `conditional`: how long to spin in any case, instead of the measured W."},
    {"MUSTER_WAIT_COND", "", "<n>us",
     "With `conditional`: spin on while arrivals come within this, instead of 3 W."},
    {"MUSTER_REPORT", "", "stderr|FILE.txt|FILE.json|FILE.csv",
     "Write a report at exit. In FILE, %h is the host, %p the process, %r the MPI rank, %% a %."},
    {"MUSTER_COUNTERS", "", "EVENT,...",
     "Count events of PAPI or the kernel, while waiting at barriers and in the rest of regions."},
    {"MUSTER_PAPI", "", "FILE",
     "With `MUSTER_COUNTERS`: the libpapi to open, instead of the system's."},
    {"MUSTER_VERBOSE", "0", "0|1", "Tell on stderr what was set and which runtimes were found."},
};

// How MUSTER_WAIT was understood. `microseconds` is meant only where policy is kMicroseconds.
struct WaitChoice {
  WaitKind kind;
  std::uint64_t microseconds;
};

// Parsers, shared by the library and the launcher. They take the text as the user wrote it, never
// null, and return false for anything but a whole, exact value (empty, trailing garbage, negative,
// overflowing: all false), leaving `out` alone. Comparisons are exact: case matters, as in the
// tables.
bool parse_switch(const char* text, bool& out);          // on|off
bool parse_flag(const char* text, bool& out);            // 0|1
bool parse_barrier(const char* text, BarrierKind& out);  // a name of barriers/names.h
bool parse_wait(const char* text, WaitChoice& out);      // a name of waiting/names.h, or <n>us
bool parse_slice(const char* text, std::uint64_t& microseconds);  // auto|off|<n>us, 100us to 100ms
bool parse_place(const char* text, bool& out);                    // auto|off
bool parse_yield(const char* text, YieldKind& out);               // a name of yields/yield_kind.h
bool parse_fork_join(const char* text, ForkJoin& out);            // auto|on|off
bool parse_microseconds(const char* text, std::uint64_t& out);    // <n>us, up to a minute
bool parse_counters(const char* text);  // names with commas between them, counters/events.h
bool parse_papi(const char* text);      // a path, not empty, not overlong
bool parse_report(const char* text);    // not empty, not overlong, known % only

inline constexpr std::uint64_t kMaxSpinMicroseconds = 60ULL * 1000 * 1000;  // a minute
inline constexpr std::uint64_t kShortSliceMicroseconds = 100;               // the kernel's least
inline constexpr std::uint64_t kLongSliceMicroseconds = 100ULL * 1000;      // and its most
inline constexpr std::size_t kMaxReportPath = 4000;                         // below PATH_MAX
inline constexpr std::size_t kMaxCounters = 4096;  // kMostEvents long names

// The settings in force. Read once, at the first OpenMP call of the process; a bad value gives one
// line on stderr that names the variable, the value and what is used instead.
struct Settings {
  bool on = true;
  BarrierKind barrier = BarrierKind::kAuto;
  WaitChoice wait{WaitKind::kAuto, 0};
  std::uint64_t slice_us = kShortSliceMicroseconds;  // 0: off
  bool place = true;
  YieldKind yield = YieldKind::kAuto;
  ForkJoin fork_join = kDefaultForkJoin;
  std::uint64_t wait_base_us = 0;  // 0: not set
  std::uint64_t wait_cond_us = 0;
  const char* report = "";         // as given, unexpanded; points into storage of the library
  const char* counters = nullptr;  // as given; null: not set
  const char* papi = nullptr;      // likewise
  bool verbose = false;
};

const Settings& settings();

// The same for the end of the process: when nothing was read before, there was no OpenMP, and what
// is bad is nobody's business.
const Settings& settings_at_end();

}  // namespace muster
