// Which values an option takes: the library's own parsers, found by the option's name.
#pragma once

#include <string>

#include "preload/options.h"

namespace muster::launcher {

// Whether the library would take `value`. Throws std::logic_error for an option it does not know.
bool is_valid(const Option& option, const std::string& value);

// "MUSTER_BARRIER" -> "--barrier".
std::string flag_of(const Option& option);

// Whether the option is a flag of `muster run`: all are but MUSTER itself.
bool has_flag(const Option& option);

// Whether it is a switch that takes no value on the command line.
bool is_switch(const Option& option);

}  // namespace muster::launcher
