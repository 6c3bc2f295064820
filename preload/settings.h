// When the settings of a process are read: once, at its first OpenMP call, so that a program can still set them itself.
#pragma once

#include "options/settings.h"

namespace muster {

// Says on stderr what is bad or unknown.
void ensure_settings();

// The same for the end of the process. If nothing was read before, no OpenMP was used, and mistakes concern nobody.
void ensure_settings_at_end();

}  // namespace muster
