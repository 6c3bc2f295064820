#include "preload/report/text_buffer.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "platform/pages.h"

namespace muster {
namespace {

// The length of the UTF-8 sequence at `text`, 0 if it is none.
unsigned utf8_length(const unsigned char* text) {
  if (text[0] < 0x80) return 1;
  const unsigned length = text[0] >= 0xF0 && text[0] <= 0xF4   ? 4
                          : text[0] >= 0xE0 && text[0] <= 0xEF ? 3
                          : text[0] >= 0xC2 && text[0] <= 0xDF ? 2
                                                               : 0;
  for (unsigned i = 1; i < length; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

TextBuffer::~TextBuffer() { unmap_pages(begin_, capacity_); }

bool TextBuffer::reserve(std::size_t more) {
  if (size_ + more <= capacity_) return true;
  std::size_t capacity = capacity_ != 0 ? capacity_ : 65536;
  while (capacity < size_ + more) capacity *= 2;
  auto* larger = static_cast<char*>(map_pages(capacity));
  if (larger == nullptr) {
    failed_ = true;
    return false;
  }
  if (size_ != 0) std::memcpy(larger, begin_, size_);
  unmap_pages(begin_, capacity_);
  begin_ = larger;
  capacity_ = capacity;
  return true;
}

void TextBuffer::add(const char* format, ...) {
  va_list values;
  va_start(values, format);
  va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  if (length > 0 && reserve(static_cast<std::size_t>(length) + 1)) {
    std::vsnprintf(begin_ + size_, static_cast<std::size_t>(length) + 1, format, again);
    size_ += static_cast<std::size_t>(length);
  }
  va_end(again);
  va_end(values);
}

void TextBuffer::add_text(const char* text, std::size_t size) {
  if (!reserve(size + 1)) return;
  std::memcpy(begin_ + size_, text, size);
  size_ += size;
}

void TextBuffer::add_json_string(const char* text) {
  add("\"");
  for (const auto* at = reinterpret_cast<const unsigned char*>(text); *at != 0;) {
    const unsigned length = utf8_length(at);
    if (length == 0) {
      add("\\ufffd");
    } else if (*at == '"' || *at == '\\') {
      add("\\%c", *at);
    } else if (*at < 0x20) {
      add("\\u%04x", *at);
    } else {
      add_text(reinterpret_cast<const char*>(at), length);
    }
    at += length == 0 ? 1 : length;
  }
  add("\"");
}

}  // namespace muster
