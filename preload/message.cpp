#include "preload/message.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace muster {

void message(const char* format, ...) {
  const int saved = errno;
  char line[1024] = "muster: ";
  const std::size_t begin = std::strlen(line);
  va_list values;
  va_start(values, format);
  std::vsnprintf(line + begin, sizeof(line) - begin - 1, format, values);
  va_end(values);
  const std::size_t length = std::strlen(line);
  for (char* at = line; *at != '\0'; ++at) {
    if (static_cast<unsigned char>(*at) < ' ' || *at == '\x7f') *at = '?';  // one line is one line
  }
  line[length] = '\n';
  for (std::size_t written = 0; written < length + 1;) {
    const ssize_t n = write(STDERR_FILENO, line + written, length + 1 - written);
    if (n > 0) written += static_cast<std::size_t>(n);
    if (n == 0 || (n < 0 && errno != EINTR)) break;
  }
  errno = saved;
}

}  // namespace muster
