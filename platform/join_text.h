// Concatenates text, for paths. The C library's snprintf takes 2 KB of stack, which a waiting thread may not have.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace muster {

// Writes the words one after the other, with a final NUL, truncated at the end of the buffer. Returns their full
// length.
template <class... Words>
std::size_t join(char* out, std::size_t size, const Words&... words) {
  std::size_t length = 0;
  const auto add = [&](std::string_view word) {
    if (length + 1 < size) {
      const std::size_t left = size - 1 - length;
      std::memcpy(out + length, word.data(), word.size() < left ? word.size() : left);
    }
    length += word.size();
  };
  (add(words), ...);
  if (size != 0) out[length < size ? length : size - 1] = '\0';
  return length;
}

}  // namespace muster
