// The options as flags of `muster run`.
#pragma once

#include <string>

#include "options/table.h"

namespace muster::launcher {

// "MUSTER_BARRIER" -> "--barrier".
std::string flag_of(const Option& option);

// All but MUSTER itself are flags.
bool has_flag(const Option& option);

// Whether the flag takes no value.
bool is_switch(const Option& option);

// Whether the library would accept it.
bool is_valid(const Option& option, const std::string& value);

}  // namespace muster::launcher
