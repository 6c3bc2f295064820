// Which OpenMP runtime serves this process.
#pragma once

#include <string>

namespace epcc {

// The path of the runtime's shared object as the loader found it; several, comma-separated, if more
// than one is loaded; "unknown" for a static or unknown one.
std::string openmp_runtime();

}  // namespace epcc
