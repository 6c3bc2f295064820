// Prints one line on stderr that begins with "muster: ", by one system call, so that lines of several processes do not
// mix. Preserves errno. Nothing is ever printed on stdout, which belongs to the program.
#pragma once

namespace muster {

__attribute__((format(printf, 1, 2))) void message(const char* format, ...);

}  // namespace muster
