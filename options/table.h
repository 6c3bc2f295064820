// The option table. Everything that is known of an option is in its row: the settings, their defaults, the parsing, the
// launcher's flags, `muster options`, docs/use/options.md and what the report says of settings are made from it.
#pragma once

#include <cstddef>
#include <cstring>

#include "options/kinds.h"

namespace muster {

// Setting, environment variable, kind of value (kinds.h), default ("": not set), help. The most useful come first.
#define MUSTER_OPTIONS(X)                                                                          \
  X(on, "MUSTER", kind::OnOff, "on",                                                               \
    "`off` switches Muster off: every call goes to the OpenMP runtime.")                           \
  X(report, "MUSTER_REPORT", kind::ReportPath, "",                                                 \
    "Write a report at exit. In FILE, %h is the host, %p the process, %r the MPI rank, %% a %.")   \
  X(verbose, "MUSTER_VERBOSE", kind::Flag, "0",                                                    \
    "Print on stderr which options are in force and which OpenMP runtimes were found.")            \
  X(timeline, "MUSTER_TIMELINE", kind::TimelinePath, "",                                           \
    "Write a timeline of the last events of each thread at exit, for Perfetto or "                 \
    "chrome://tracing. %-patterns as in MUSTER_REPORT.")                                           \
  X(live, "MUSTER_LIVE", kind::OnOff, "off",                                                       \
    "Show the running process's state to `muster top` and `muster report`, by a thread of "        \
    "Muster's and a file in /dev/shm.")                                                            \
  X(wait, "MUSTER_WAIT", kind::Wait, "auto",                                                       \
    "How a thread waits: how long it spins before it blocks. `auto` decides for each team.")       \
  X(barrier, "MUSTER_BARRIER", kind::BarrierName, "auto",                                          \
    "The barrier algorithm. `auto` chooses for each team, by its size and the topology.")          \
  X(fork_join, "MUSTER_FORKJOIN", kind::ForkJoinName, "auto",                                      \
    "Whether Muster forks and joins parallel regions itself. `auto`: where that is faster.")       \
  X(yield, "MUSTER_YIELD", kind::YieldName, "auto",                                                \
    "A `sched_yield` called by the OpenMP runtime or by OpenBLAS: the system call (`native`), "    \
    "naps while other processes take the CPU (`adaptive`), or whichever the load calls for. All "  \
    "but `native` also let libgomp sleep sooner.")                                                 \
  X(slice_ns, "MUSTER_SLICE", kind::Slice, "off",                                                  \
    "With other processes on its CPUs, or one CPU for several threads, ask the kernel for time "   \
    "slices of this length. `auto`: 300us. What a thread creates by the system calls themselves, " \
    "as Go does, inherits it.")                                                                    \
  X(place, "MUSTER_PLACE", kind::AutoOff, "auto",                                                  \
    "Move a team's threads between its CPUs while that is faster, unless the user bound them.")    \
  X(turns, "MUSTER_TURNS", kind::AutoOff, "off",                                                   \
    "`auto`: take turns of 5 ms with this user's other processes under Muster that want the same " \
    "CPUs. Needs `MUSTER_WAIT=auto`.")                                                             \
  X(loops, "MUSTER_LOOPS", kind::AutoOff, "auto",                                                  \
    "Compute a thread's share of a loop with a static schedule, instead of asking libomp or "      \
    "libiomp5, where it is known to be the same.")                                                 \
  X(after_fork, "MUSTER_FORK", kind::AfterForkName, "serial",                                      \
    "`serial`: in the child of a fork, the regions of a thread that had a team of libgomp in the " \
    "parent have one thread. `native`: as without Muster, they hang.")                             \
  X(sites, "MUSTER_SITES", kind::OnOff, "off",                                                     \
    "Report what each place of the program that calls a barrier or begins a region costs, and "    \
    "why: meant to cost 1 % of the time.")                                                         \
  X(counters, "MUSTER_COUNTERS", kind::EventList, "",                                              \
    "Count events of PAPI or the kernel, while waiting at barriers and in the rest of regions.")   \
  X(papi, "MUSTER_PAPI", kind::Path, "",                                                           \
    "With `MUSTER_COUNTERS`: the libpapi to open, instead of the system's.")

namespace detail {
void default_is_bad();  // not constexpr: a bad default in the table does not compile

template <class Kind>
consteval typename Kind::Value default_of(const char* text) {
  typename Kind::Value value{};
  if (*text != '\0' && !Kind::parse(text, value)) default_is_bad();
  return value;
}

template <class Kind>
const char* problem_with(const char* text) {
  if constexpr (requires { Kind::problem(text); }) return Kind::problem(text);
  return "";
}
}  // namespace detail

// What is in force: times in nanoseconds.
struct Settings {
#define MUSTER_SETTING(setting, variable, Kind, fallback, help) \
  Kind::Value setting = detail::default_of<Kind>(fallback);
  MUSTER_OPTIONS(MUSTER_SETTING)
#undef MUSTER_SETTING
  // The user has told the runtime to wait passively: OMP_WAIT_POLICY=passive, or what means the same.
  bool passive = false;
};

// The places of the rows.
enum class Setting : std::size_t {
#define MUSTER_ROW_OF(setting, ...) setting,
  MUSTER_OPTIONS(MUSTER_ROW_OF)
#undef MUSTER_ROW_OF
};

struct Option {
  const char* variable;  // the environment variable
  const char* fallback;  // the default; "": not set
  const char* values;
  const char* range;
  const char* help;
  std::size_t most;  // the longest text that is accepted
  const char* (*problem)(
      const char* text);  // why a bad value is refused; "": only that it is none of `values`
  // False for a bad value, which changes nothing.
  bool (*set)(const char* text, Settings& settings);

  bool is_valid(const char* text) const {
    Settings scratch;
    return strnlen(text, most + 1) <= most && set(text, scratch);
  }
};

inline constexpr Option kOptions[] = {
#define MUSTER_OPTION(setting, variable, Kind, fallback, help) \
  {variable,                                                   \
   fallback,                                                   \
   Kind::values(),                                             \
   Kind::range(),                                              \
   help,                                                       \
   Kind::kMost,                                                \
   detail::problem_with<Kind>,                                 \
   [](const char* text, Settings& settings) { return Kind::parse(text, settings.setting); }},
    MUSTER_OPTIONS(MUSTER_OPTION)
#undef MUSTER_OPTION
};

constexpr const Option& option_of(Setting setting) {
  return kOptions[static_cast<std::size_t>(setting)];
}

// Set by `muster run` for the library: the launched process, as distinct from its children.
inline constexpr const char* kRunPidVariable = "MUSTER_RUN_PID";

}  // namespace muster
