// The report at the end of a process. docs/report-format.md describes it.
#pragma once

#include "load/load_snapshot.h"
#include "load/missing_list.h"
#include "preload/report_counters.h"
#include "preload/report_fork_join.h"
#include "preload/text_buffer.h"
#include "runtime-hooks/runtimes/pass_reason.h"
#include "runtime-hooks/runtimes/runtime.h"
#include "runtime-hooks/runtimes/unreached.h"
#include "runtime-hooks/runtimes/yields/runtime_yield.h"
#include "runtime-hooks/teams/accounting.h"
#include "waiting/calibration.h"

namespace muster {

// A runtime's own line.
struct RuntimeLine {
  char path[1200] = {};
  char package[256] = {};      // of Python; empty: none
  std::uint64_t replaced = 0;  // arrivals
};

// Everything that a report tells, gathered once and then written in one format or another.
struct ReportData {
  char host[256] = {};
  char program[1024] = {};
  long pid = 0;
  long rank = 0;
  const char* barrier = "";
  const char* wait = "";
  const Calibration* calibration = nullptr;  // null: no policy asked for it
  bool active = false;
  const char* inactive_reason = nullptr;
  Runtime** runtimes = nullptr;  // that were called through Muster
  unsigned runtime_count = 0;
  RuntimeLine* runtime_lines = nullptr;
  Unreached unreached[kMaxUnreached];
  unsigned unreached_count = 0;
  std::uint64_t regions = 0;
  unsigned teams = 0;
  std::uint64_t replaced[kEntries] = {};
  std::uint64_t passed[kEntries] = {};
  std::uint64_t reasons[kPassReasons] = {};
  std::uint64_t total_replaced = 0;
  std::uint64_t total_passed = 0;
  WaitStats waiting;  // all threads together
  const char* yield = "";
  YieldCounts yields;  // of the runtimes
  ForkJoinReport fork_join;
  CounterTotals counters;
  LoadSnapshot load;  // the last one
  MissingList missing;
  const TeamTotals* totals = nullptr;
};

// For MPI: the rank of this process in its job, by the variables of the usual launchers; else 0.
long mpi_rank();
bool has_mpi_rank();

void gather(ReportData& out);

// A thread's share of all waiting over an equal share: 1 is balanced, below 1 the thread arrives
// late and lets the others wait. Negative where nobody waited long enough for a clock to be read.
double wait_share(const ReportData& data, unsigned thread);

// The successful spin rate (Tsafrir & Feitelson, section 2.2): the share of waits that ended while
// spinning, without a sleep, 0 to 1; the last arriver does not wait. Negative where nobody waited.
double spin_rate(std::uint64_t spins_succeeded, std::uint64_t waits);

// What a reader of an SSR has to know (same section).
inline constexpr const char* kSpinRateReminder =
    "spinning for ever scores 100 % whatever it costs: SSR alone says nothing about time";

void write_text(const ReportData& data, TextBuffer& out);
void write_json(const ReportData& data, TextBuffer& out);
void write_csv(const ReportData& data, TextBuffer& out);

// Writes `text` to the report's path as a whole or not at all; complains in one line if it can't.
void deliver(const char* path, const TextBuffer& text);

// The %-patterns of MUSTER_REPORT. False when the result is too long.
bool expand_report_path(const char* pattern, char* out, std::size_t size);

// The destructor's work: nothing where no report was asked for or no OpenMP runtime was used.
void write_report_at_end();

}  // namespace muster
