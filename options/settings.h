// The settings of this process.
#pragma once

#include "options/table.h"

namespace muster {

namespace detail {
extern Settings settings;
}

// In force: the defaults until read_settings(), which is once, before the first team.
inline const Settings& settings() { return detail::settings; }

// Takes a line of text, as printf does.
using Complain = __attribute__((format(printf, 1, 2))) void (*)(const char* format, ...);

// Reads all options from `environment`, a list as in environ(7), or null. One complaint for each bad value, naming
// what is used instead, and one for each variable whose name begins with MUSTER_ but is not an option. With MUSTER=off
// nothing else is looked at. `complain` may be null. Texts are copied: the environment may change afterwards.
void read_settings(const char* const* environment, Complain complain);

// What is in force for an option, in the words in which it was set; "": not set.
const char* text_in_force(const Option& option);

}  // namespace muster
