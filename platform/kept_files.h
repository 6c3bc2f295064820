// Files of /proc and /sys that Muster reads while the program runs, from whatever thread waits. To open one
// then would take the lowest free descriptor for a moment, and a program that closes and opens just now
// would get another number than it must. So they are opened once, by the thread that gets the library
// ready, before the first region, and read without moving a position.
//
// What a program could see. A process without OpenMP: nothing. Else two descriptors, and three more at most
// for each of two groups with a CPU quota, all close-on-exec and where nobody looks: above the soft limit,
// which no call that makes a descriptor reaches, if the process has but one thread at that moment and may
// raise the limit for it; else just below the limit, or below 1,024, and none where the limit is lower than
// kLeastLimit. A listing of /proc/self/fd shows them. They may be closed, with all others for instance,
// and the number used anew, at any time: each read asks first whether it is still the same file, and what
// was closed is not opened again. In the child of a fork they go on to serve.
#pragma once

#include <cstddef>

namespace muster {

// How a file is read.
enum class Files : unsigned char {
  kKept,  // by a descriptor that is kept; else not at all
  kKeep,  // the same, and one that is not kept yet is opened for that. By one thread, before all others
  kOpen,  // opened and closed: where no thread of the program's could notice
};

// As read_file(): the length, or minus the error number, with an empty buffer. With kKept a file that was
// never opened is -ENOENT, and one that somebody has closed since -EBADF.
long read_file(Files how, const char* path, char* buffer, std::size_t size);

// The same from `offset` on, for files that are too long for a buffer on a thread's stack. Parts that follow
// each other are of one moment, unless another thread reads the same file between.
long read_part(Files how, const char* path, std::size_t offset, char* buffer, std::size_t size);

// Makes the process's table of descriptors as long as kept files need. For a process that has one thread yet: with
// several, the kernel waits for an RCU grace period (15 ms and more) before it puts a longer table in place.
void reserve_descriptors();

// Only while kKeep may be used.
void keep_file(const char* path);
void keep_no_longer(const char* path);

inline constexpr unsigned kMostKept = 8;
inline constexpr unsigned long kLeastLimit = 256;

}  // namespace muster
