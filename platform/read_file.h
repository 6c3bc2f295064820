// Reading a small file of /proc or /sys from inside a host process. Raw system calls, because the C library's open and
// read are cancellation points and set errno. Nothing is allocated, and no descriptor stays open: after a program has
// closed all of its descriptors, a kept number could be one of its own files. Costs one open, a read or two and a
// close: 2 to 5 us.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "platform/optional_calls.h"

namespace muster {

namespace detail {
// The result, or minus the error number; errno is preserved.
template <class... Arguments>
long quiet_syscall(long number, Arguments... arguments) {
  const int saved = errno;
  const long result = optional_call(number, arguments...);
  const long outcome = result < 0 ? -static_cast<long>(errno) : result;
  errno = saved;
  return outcome;
}
}  // namespace detail

// Opens the file for reading, close-on-exec: the descriptor, or minus the error number.
inline long open_to_read(const char* path) {
  return detail::quiet_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

// Reads at most `size` bytes from the end of the last read on; 0 at the end of the file, or minus the error number.
inline long read_some(long descriptor, char* buffer, std::size_t size) {
  for (;;) {
    const long got = detail::quiet_syscall(SYS_read, descriptor, buffer, size);
    if (got != -EINTR) return got;
  }
}

inline void close_quietly(long descriptor) { detail::quiet_syscall(SYS_close, descriptor); }

// Reads the first `size` - 1 bytes of a file and adds a NUL. Returns their number, or minus the error number (then
// `buffer` is empty).
inline long read_file(const char* path, char* buffer, std::size_t size) {
  buffer[0] = '\0';
  const long descriptor = open_to_read(path);
  if (descriptor < 0) return descriptor;
  std::size_t length = 0;
  long got = 0;
  while (length + 1 < size) {
    got = read_some(descriptor, buffer + length, size - 1 - length);
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  close_quietly(descriptor);
  if (got < 0) length = 0;
  buffer[length] = '\0';
  return got < 0 ? got : static_cast<long>(length);
}

// A file of any length, line by line through a buffer of the caller. Lines that do not fit are skipped: the ones that
// Muster looks for are short.
class FileLines {
 public:
  FileLines(const char* path, char* buffer, std::size_t size)
      : descriptor_(open_to_read(path)), buffer_(buffer), size_(size) {}
  ~FileLines() {
    if (descriptor_ >= 0) close_quietly(descriptor_);
  }
  FileLines(const FileLines&) = delete;
  FileLines& operator=(const FileLines&) = delete;

  bool opened() const { return descriptor_ >= 0; }

  // The next line, with a NUL instead of its newline; valid until the next call. Null at the end or on an error.
  char* next() {
    for (;;) {
      for (std::size_t at = begin_; at < end_; ++at) {
        if (buffer_[at] != '\n') continue;
        buffer_[at] = '\0';
        char* line = buffer_ + begin_;
        begin_ = at + 1;
        if (!too_long_) return line;
        too_long_ = false;  // this was its end
      }
      if (!refill()) return last_line();
    }
  }

 private:
  bool refill() {
    if (descriptor_ < 0) return false;
    if (begin_ > 0) {
      for (std::size_t at = begin_; at < end_; ++at) buffer_[at - begin_] = buffer_[at];
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ + 1 >= size_) {  // full, and no newline in it
      end_ = 0;
      too_long_ = true;
    }
    const long got = read_some(descriptor_, buffer_ + end_, size_ - 1 - end_);
    if (got <= 0) return false;
    end_ += static_cast<std::size_t>(got);
    return true;
  }

  // The part after the last newline.
  char* last_line() {
    if (begin_ == end_ || too_long_) return nullptr;
    buffer_[end_] = '\0';
    char* line = buffer_ + begin_;
    begin_ = end_;
    return line;
  }

  const long descriptor_;
  char* const buffer_;
  const std::size_t size_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool too_long_ = false;
};

}  // namespace muster
