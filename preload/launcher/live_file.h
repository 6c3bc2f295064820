// The state of a process that runs with MUSTER_LIVE=on, as it wrote it (preload/live/).
#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>

#include "preload/launcher/report_file.h"

namespace muster::launcher {

struct LiveState {
  json report;
  timespec written{};  // when
  bool runs = false;   // whether the process still does
};

// Throws NoReport. The file's contents are not trusted: it must belong to the caller, or the caller is root; it is
// checked as any other report.
LiveState read_live(pid_t process);

// Seconds from `before` to `after`.
double seconds_between(const timespec& before, const timespec& after);

}  // namespace muster::launcher
