// The CPUs this process may use, and pinning a thread to one of them.
#pragma once

#include <vector>

namespace epcc {

// In ascending order; throws std::system_error if the kernel refuses.
std::vector<int> allowed_cpus();

// Pins the calling thread; false if the kernel refuses.
bool pin_to(int cpu);

}  // namespace epcc
