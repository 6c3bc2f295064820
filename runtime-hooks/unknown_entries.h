#pragma once
#include "runtime-hooks/runtime.h"
namespace muster {
inline const char* unknown_entry_point(const Runtime&) { return nullptr; }
}  // namespace muster
