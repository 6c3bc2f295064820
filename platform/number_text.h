// Numbers in files of /proc and /sys. Independent of the locale; errno is not set.
#pragma once

#include <cstdint>
#include <cstring>

namespace muster {

// Parses the number at the start of `text` and advances `text` past it. False if there is none or if it overflows.
inline bool take_number(const char*& text, std::uint64_t& value) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const char* at = text;
  std::uint64_t read = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(*at - '0');
    if (read > (kMost - digit) / 10) return false;
    read = read * 10 + digit;
  }
  if (at == text) return false;
  text = at;
  value = read;
  return true;
}

// The number after `key`, which must start a word of `text`: "nr_throttled 5", "total=5".
inline bool number_behind(const char* text, const char* key, std::uint64_t& value) {
  const std::size_t length = std::strlen(key);
  for (const char* at = text; (at = std::strstr(at, key)) != nullptr; at += length) {
    if (at != text && at[-1] != '\n' && at[-1] != ' ') continue;
    const char* number = at + length;
    return take_number(number, value);
  }
  return false;
}

}  // namespace muster
