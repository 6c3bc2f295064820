// What the report tells of MUSTER_COUNTERS, and what is said on stderr when counting begins.
#pragma once

#include "counters/counting.h"
#include "preload/text_buffer.h"

namespace muster {

// Begins to count what the settings ask for; one line on stderr for each event that cannot be had.
void begin_asked_counting();

void write_counters_text(const CounterTotals& counters, TextBuffer& out);
void write_counters_json(const CounterTotals& counters, TextBuffer& out);
void write_counters_csv(const CounterTotals& counters, TextBuffer& out);

}  // namespace muster
