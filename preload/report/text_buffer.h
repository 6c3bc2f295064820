// Text of any length, in pages of its own: the report is made at the end of the program, whose malloc
// may be gone already.
#pragma once

#include <cstddef>
#include <cstring>

namespace muster {

class TextBuffer {
 public:
  TextBuffer() = default;
  ~TextBuffer();
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...);

  void add_text(const char* text, std::size_t size);
  void add_text(const char* text) { add_text(text, std::strlen(text)); }

  // As a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
  void add_json_string(const char* text);

  const char* begin() const { return begin_; }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool complete() const { return !failed_; }  // false: memory ran out

 private:
  bool reserve(std::size_t more);

  char* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool failed_ = false;
};

}  // namespace muster
