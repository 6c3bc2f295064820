// Writes the report when a signal ends the process.
#pragma once

namespace muster {

// Has the report written at signals from now on, if there is memory for that.
void report_at_signals();

}  // namespace muster
