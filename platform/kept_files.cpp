#include "platform/kept_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "platform/read_file.h"
#include "platform/thread_count.h"

namespace muster {
namespace {

struct KeptFile {
  static constexpr std::size_t kLongestPath = 512;
  char path[kLongestPath];
  int descriptor;
  std::uint64_t device;
  std::uint64_t inode;
};

KeptFile g_kept[kMostKept];
unsigned g_count = 0;

bool identity_of(int descriptor, std::uint64_t& device, std::uint64_t& inode) {
  struct stat found;  // half the size of statx's: waiting threads, with small stacks, get here
  if (detail::quiet_syscall(SYS_fstat, descriptor, &found) != 0) return false;
  device = found.st_dev;
  inode = found.st_ino;
  return true;
}

bool is_still(const KeptFile& file) {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  return identity_of(file.descriptor, device, inode) && device == file.device &&
         inode == file.inode;
}

long duplicate(int descriptor, std::uint64_t least) {
  return detail::quiet_syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, static_cast<long>(least));
}

// As defined by the kernel for its own system call.
struct Limit {
  std::uint64_t soft;
  std::uint64_t hard;
};

bool set_limit(const Limit* limit, Limit* before) {
  return detail::quiet_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, before) == 0;
}

// The descriptor table is as long as the highest descriptor, and a fork copies it.
constexpr std::uint64_t kHighest = 4096;
constexpr std::uint64_t kOrdinary = 1024;
// A larger one would make several threads wait: reserve_descriptors().
constexpr std::uint64_t kFirstTable = 64;

long duplicate_below(std::uint64_t limit, long descriptor) {
  if (limit < kLeastLimit) return -EMFILE;
  const std::uint64_t below = has_one_thread() ? std::min(limit, kOrdinary) : kFirstTable;
  return duplicate(static_cast<int>(descriptor), below - kMostKept);
}

long duplicate_out_of_the_way(int descriptor) {
  Limit limit{};
  if (!set_limit(nullptr, &limit)) return -EMFILE;
  if (limit.soft <= kHighest && limit.hard >= limit.soft + kMostKept && has_one_thread()) {
    const Limit raised{limit.soft + kMostKept, limit.hard};
    if (set_limit(&raised, nullptr)) {
      const long above = duplicate(descriptor, limit.soft);
      set_limit(&limit, nullptr);
      if (above >= 0) return above;
    }
  }
  return duplicate_below(limit.soft, descriptor);
}

const KeptFile* find(const char* path) {
  for (unsigned i = 0; i < g_count; ++i) {
    if (std::strcmp(g_kept[i].path, path) == 0) return &g_kept[i];
  }
  return nullptr;
}

// Minus the error number if it cannot be kept. Out of line: it needs more stack than reading a kept file.
__attribute__((noinline)) long keep(const char* path) {
  const std::size_t length = std::strlen(path);
  if (g_count == kMostKept || length >= KeptFile::kLongestPath) return -EMFILE;
  const long opened = open_to_read(path);
  if (opened < 0) return opened;
  const long kept = duplicate_out_of_the_way(static_cast<int>(opened));
  close_quietly(opened);
  if (kept < 0) return kept;
  KeptFile& file = g_kept[g_count];
  file.descriptor = static_cast<int>(kept);
  if (!identity_of(file.descriptor, file.device, file.inode)) {
    close_quietly(kept);
    return -ENOSYS;
  }
  std::memcpy(file.path, path, length + 1);
  ++g_count;
  return 0;
}

long read_from(int descriptor, std::size_t offset, char* buffer, std::size_t size) {
  std::size_t length = 0;
  while (length + 1 < size) {
    const long got = detail::quiet_syscall(SYS_pread64, descriptor, buffer + length,
                                           size - 1 - length, static_cast<long>(offset + length));
    if (got == -EINTR) continue;
    if (got < 0) {
      buffer[0] = '\0';
      return got;
    }
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  buffer[length] = '\0';
  return static_cast<long>(length);
}

}  // namespace

long read_part(Files how, const char* path, std::size_t offset, char* buffer, std::size_t size) {
  buffer[0] = '\0';
  if (how == Files::kOpen) {
    const long opened = open_to_read(path);
    if (opened < 0) return opened;
    const long length = read_from(static_cast<int>(opened), offset, buffer, size);
    close_quietly(opened);
    return length;
  }
  const KeptFile* file = find(path);
  long error = -ENOENT;
  if (file == nullptr && how == Files::kKeep) {
    error = keep(path);
    if (error == 0) file = find(path);
  }
  if (file == nullptr) return error;
  if (!is_still(*file)) return -EBADF;
  return read_from(file->descriptor, offset, buffer, size);
}

long read_file(Files how, const char* path, char* buffer, std::size_t size) {
  return read_part(how, path, 0, buffer, size);
}

void reserve_descriptors() {
  Limit limit{};
  if (!set_limit(nullptr, &limit)) return;
  const long opened = open_to_read("/");
  if (opened < 0) return;
  const long highest = duplicate_below(limit.soft, opened);
  if (highest >= 0) close_quietly(highest);
  close_quietly(opened);
}

void keep_file(const char* path) {
  if (find(path) == nullptr) keep(path);
}

void keep_no_longer(const char* path) {
  const KeptFile* file = find(path);
  if (file == nullptr) return;
  if (is_still(*file)) close_quietly(file->descriptor);
  --g_count;
  if (file != &g_kept[g_count])
    std::memcpy(const_cast<KeptFile*>(file), &g_kept[g_count], sizeof(*file));
}

}  // namespace muster
