// One line on stderr, beginning with "muster: ", written by one system call so that lines of
// several processes do not mix. Leaves errno alone. Never stdout: that is the program's.
#pragma once

namespace muster {

__attribute__((format(printf, 1, 2))) void message(const char* format, ...);

}  // namespace muster
