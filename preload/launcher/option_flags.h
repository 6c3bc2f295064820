// The options as flags of `muster run`.
#pragma once

#include <string>

#include "options/table.h"

namespace muster::launcher {

// "MUSTER_BARRIER" -> "--barrier".
std::string flag_of(const Option& option);

// All but MUSTER itself are flags.
bool has_flag(const Option& option);

// What the flag sets if it takes no value; null if it takes one.
const char* switched_on(const Option& option);
inline bool is_switch(const Option& option) { return switched_on(option) != nullptr; }

// The help text, with the range of the number in the value and the default, if there are any.
std::string help_with_default(const Option& option);

// Whether the library would accept it.
bool is_valid(const Option& option, const std::string& value);

}  // namespace muster::launcher
