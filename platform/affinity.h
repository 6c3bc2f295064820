// The calling thread's affinity mask, read and set. errno is preserved. Uses system calls and not the C library's
// functions, whose names libmuster.so exports for the program.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/missing.h"
#include "platform/optional_calls.h"

namespace muster {

// Up to 1,024 CPUs; on a larger machine read() fails and no thread is moved.
class AffinityMask {
 public:
  static constexpr unsigned kMaxCpus = 1024;

  static AffinityMask only(unsigned cpu) {
    AffinityMask mask;
    mask.set(cpu);
    return mask;
  }

  // All CPUs that may exist.
  static constexpr AffinityMask all() {
    AffinityMask mask;
    for (unsigned long& word : mask.words_) word = ~0UL;
    return mask;
  }

  bool read() {
    const int saved = errno;
    std::memset(words_, 0, sizeof(words_));
    const bool ok = optional_call(SYS_sched_getaffinity, 0, sizeof(words_), words_) > 0;
    if (!ok) note_missing(Missing::kGetAffinity, errno);
    errno = saved;
    return ok;
  }

  bool apply() const {
    const int saved = errno;
    const bool ok = optional_call(SYS_sched_setaffinity, 0, sizeof(words_), words_) == 0;
    if (!ok) note_missing(Missing::kSetAffinity, errno);
    errno = saved;
    return ok;
  }

  // CPUs beyond kMaxCpus (also kNoCpu) are in no mask: nothing happens.
  void set(unsigned cpu) {
    if (cpu < kMaxCpus) words_[cpu / kBits] |= 1UL << (cpu % kBits);
  }
  void clear_all() { std::memset(words_, 0, sizeof(words_)); }
  void clear(unsigned cpu) {
    if (cpu < kMaxCpus) words_[cpu / kBits] &= ~(1UL << (cpu % kBits));
  }
  bool has(unsigned cpu) const {
    return cpu < kMaxCpus && (words_[cpu / kBits] >> (cpu % kBits) & 1) != 0;
  }

  unsigned count() const {
    unsigned count = 0;
    for (const unsigned long word : words_)
      count += static_cast<unsigned>(__builtin_popcountl(word));
    return count;
  }

  // The n-th CPU of the mask, counted from 0; n < count().
  unsigned nth(unsigned n) const {
    unsigned cpu = 0;
    for (;; ++cpu) {
      if (has(cpu) && n-- == 0) return cpu;
    }
  }

  bool operator==(const AffinityMask& other) const {
    return std::memcmp(words_, other.words_, sizeof(words_)) == 0;
  }

 private:
  static constexpr unsigned kBits = 8 * sizeof(unsigned long);
  unsigned long words_[kMaxCpus / kBits] = {};
};

}  // namespace muster
