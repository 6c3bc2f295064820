// The report at the end of a process: docs/use/report.md.
#pragma once

#include "counters/counting.h"
#include "load/load_snapshot.h"
#include "load/missing_list.h"
#include "preload/report/process_times.h"
#include "preload/report/writer.h"
#include "runtime-hooks/folding/fold_counts.h"
#include "runtime-hooks/objects/loaded_objects.h"
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

// What values.cpp writes, gathered once.
struct ReportData {
  char host[256] = {};
  char program[1024] = {};
  char* arguments = nullptr;  // each ends with '\0'; null: not readable
  std::size_t arguments_size = 0;
  std::size_t arguments_capacity = 0;
  long pid = 0;
  long rank = 0;
  ProcessTimes times;
  const Calibration* calibration = nullptr;  // null: no policy asked for it
  bool active = false;
  const char* inactive_reason = nullptr;
  char openblas[1024] = {};
  Runtime** runtimes = nullptr;  // that were called through Muster
  unsigned runtime_count = 0;
  RuntimeLine* runtime_lines = nullptr;
  Unreached unreached[kMaxUnreached];
  unsigned unreached_count = 0;
  std::uint64_t regions = 0;
  std::uint64_t largest_team = 0;
  unsigned teams = 0;
  std::uint64_t replaced[kEntries] = {};
  std::uint64_t passed[kEntries] = {};
  std::uint64_t reasons[kPassReasons] = {};
  std::uint64_t loops_computed = 0;
  std::uint64_t loops_passed = 0;
  std::uint64_t total_replaced = 0;
  std::uint64_t total_passed = 0;
  WaitStats waiting;   // all threads together
  YieldCounts yields;  // of the runtimes
  const FoldCounts* folds = nullptr;
  CounterTotals counters;
  LoadSnapshot load;  // the last one
  MissingList missing;
  const TeamTotals* totals = nullptr;
};

void gather(ReportData& out);

// In site_values.cpp.
void put_call_sites(const ReportData& data, ReportWriter& out);

void write_report(const ReportData& data, Format format, TextBuffer& text);

// Writes `text` to the report's path as a whole or not at all; one line on stderr if it cannot.
void deliver(const char* path, const TextBuffer& text);

// The %-patterns of MUSTER_REPORT. False when the result is too long.
bool expand_report_path(const char* pattern, char* out, std::size_t size);

// The whole report. One thread at a time; waits for the other one.
void compose_report(Format format, TextBuffer& text);

// In the child of a fork: no other thread composes one.
void report_after_fork();

// Returns 0 or the error.
int write_whole(int file, const TextBuffer& text);

// MUSTER_TIMELINE: threads record what they do, from their next region on; written at the end of the process.
void begin_timeline();
void write_timeline_now();

// At the end of the process: nothing where no report was asked for or no OpenMP runtime was used.
void write_report_now();

}  // namespace muster
