// A small segment of memory that the processes of one user share, found by a key (System V shared memory).
//
// Why not a file in /dev/shm: a mapped file can be truncated by any process that may write it, and the next access
// would end this process (SIGBUS); opening it takes a descriptor, which a program could see; its size counts as a
// file's (RLIMIT_FSIZE). A segment has a fixed size, no name that could be a link, no descriptor, and an owner. It is of
// an IPC namespace: processes in other containers have another one.
//
// The kernel keeps a segment until somebody removes it, so the last process to leave does.
#pragma once

#include <cstddef>

namespace muster {

class SharedSegment {
 public:
  // Maps the segment of this user with that key, which is zero when it is new. Null, with the errno value, if that is
  // refused, and EPERM if the segment has another owner, size or mode, or if this process has another user's rights.
  // Three system calls, about 10 us.
  void* attach(unsigned key, std::size_t bytes, int& error);

  // Removes it if no other process has it. To be called at the end of the process: the memory stays mapped.
  void remove_if_last();

 private:
  int id_ = -1;
};

// The user's key: two users have different ones.
unsigned segment_key(unsigned program);

// Whether segments are available: makes and removes one that nobody can find. 0 or the errno value.
int try_segment(std::size_t bytes);

}  // namespace muster
