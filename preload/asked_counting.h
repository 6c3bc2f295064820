// MUSTER_COUNTERS: counting begins when the settings have been read.
#pragma once

namespace muster {

// Begins to count what the settings ask for; one line on stderr for each event that is unavailable.
void begin_asked_counting();

}  // namespace muster
