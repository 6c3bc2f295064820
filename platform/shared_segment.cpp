#include "platform/shared_segment.h"

#include <sys/auxv.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>

namespace muster {
namespace {

constexpr int kMode = 0600;

bool is_own(const shmid_ds& found, std::size_t bytes) {
  const uid_t me = geteuid();
  return found.shm_perm.uid == me && found.shm_perm.cuid == me &&
         (found.shm_perm.mode & 0777) == kMode && found.shm_segsz == bytes;
}

bool has_others_rights() {
  return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

}  // namespace

void* SharedSegment::attach(unsigned key, std::size_t bytes, int& error) {
  const int saved = errno;
  void* place = nullptr;
  error = EPERM;
  // Again if the last other process removes it between the first two calls.
  for (int tries = 0; tries < 2 && place == nullptr && !has_others_rights(); ++tries) {
    shmid_ds found{};
    const int id = shmget(static_cast<key_t>(key), bytes, IPC_CREAT | kMode);
    if (id < 0 || shmctl(id, IPC_STAT, &found) != 0) {
      error = errno;
      continue;
    }
    if (!is_own(found, bytes)) {
      error = EPERM;
      break;
    }
    void* attached = shmat(id, nullptr, 0);
    if (attached == reinterpret_cast<void*>(-1)) {
      error = errno;
      continue;
    }
    id_ = id;
    error = 0;
    place = attached;
  }
  errno = saved;
  return place;
}

void SharedSegment::remove_if_last() {
  const int saved = errno;
  shmid_ds found{};
  if (id_ >= 0 && shmctl(id_, IPC_STAT, &found) == 0 && found.shm_nattch <= 1)
    shmctl(id_, IPC_RMID, nullptr);
  id_ = -1;
  errno = saved;
}

unsigned segment_key(unsigned program) { return program ^ geteuid() * 0x9E3779B1U; }

int try_segment(std::size_t bytes) {
  const int saved = errno;
  const int id = shmget(IPC_PRIVATE, bytes, kMode);
  int error = id < 0 ? errno : 0;
  if (id >= 0) {
    void* place = shmat(id, nullptr, 0);
    if (place == reinterpret_cast<void*>(-1))
      error = errno;
    else
      shmdt(place);
    shmctl(id, IPC_RMID, nullptr);
  }
  errno = saved;
  return error;
}

}  // namespace muster
