// Files of /proc and /sys that Muster reads while the program runs, from any thread that waits. Opening one then would
// take the lowest free descriptor for a moment, and a program that closes and opens a file at the same time would get a
// different number. So they are opened once, by the thread that initializes the library, before the first region, and
// read at explicit offsets.
//
// What a program could see. A process without OpenMP: nothing. Otherwise two descriptors, and at most three more for
// each of two groups with a CPU quota, all close-on-exec. They are above the soft limit, which no call that makes a
// descriptor reaches, if the process has only one thread at that moment and may raise the limit for it. Otherwise they
// are just below the limit, or below 1,024, or below 64 if the process has several threads; there are none if the limit
// is lower than kLeastLimit. A listing of /proc/self/fd shows them. They may be closed, for instance together with all
// others, and their numbers reused, at any time: each read first checks that it is still the same file, and a closed
// one is not opened again. The child of a fork keeps using them.
#pragma once

#include <cstddef>

namespace muster {

// How a file is read.
enum class Files : unsigned char {
  kKept,  // by a kept descriptor only
  kKeep,  // the same; opens and keeps a missing one. By one thread, before all others
  kOpen,  // opened and closed: only where no thread of the program can notice
};

// As read_file(): the length, or minus the error number with an empty buffer. With kKept, -ENOENT for a file that was
// never opened, and -EBADF for one that was closed since.
long read_file(Files how, const char* path, char* buffer, std::size_t size);

// The same from `offset` on, for files that are too long for a buffer on a thread's stack. Consecutive parts are of one
// moment, unless another thread reads the same file in between.
long read_part(Files how, const char* path, std::size_t offset, char* buffer, std::size_t size);

// Grows the process's descriptor table to the size that kept files need. To be called while the process has one thread:
// with several, the kernel waits for an RCU grace period (15 ms and more) before it installs a larger table.
void reserve_descriptors();

// To be called only while kKeep may be used.
void keep_file(const char* path);
void keep_no_longer(const char* path);

inline constexpr unsigned kMostKept = 8;
inline constexpr unsigned long kLeastLimit = 256;

}  // namespace muster
