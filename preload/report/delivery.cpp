// Writes a finished report to its path: whole or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "options/kinds.h"
#include "preload/message.h"
#include "preload/report/process_id.h"
#include "preload/report/process_times.h"
#include "preload/report/report.h"

namespace muster {
namespace {

constexpr std::size_t kPathSize = kind::ReportPath::kMost + 512;

// `path` followed by this process's id. False if that is too long.
bool name_beside(const char* path, const char* ending, char (&out)[kPathSize]) {
  const int length = std::snprintf(out, kPathSize, "%s.%ld%s", path,
                                   static_cast<long>(reported_process()), ending);
  return length > 0 && static_cast<std::size_t>(length) < kPathSize;
}

void complain(const char* path, const char* what) {
  message("MUSTER_REPORT: cannot write '%s': %s; no report", path, what);
}

// /dev/null, /dev/tty and other devices cannot be replaced by a rename.
void write_to_device(const char* path, const TextBuffer& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  const int error = file < 0 ? errno : write_whole(file, text);
  if (file >= 0) close(file);
  if (error != 0) complain(path, std::strerror(error));
}

// Timestamps of files lag by some milliseconds. So a file that is newer than this was written by another process; one
// that looks older may have been, too, and is replaced.
bool newer_than_this_process(const struct stat& file) {
  const timespec& loaded = loaded_at().time;
  return file.st_mtim.tv_sec > loaded.tv_sec ||
         (file.st_mtim.tv_sec == loaded.tv_sec && file.st_mtim.tv_nsec > loaded.tv_nsec);
}

enum class Placed { kDone, kShared, kFailed };

// Renames the finished file to `path`. An older file there is replaced. One that is newer than this process is
// another process's report under the same path and is put back. Each name holds a whole file at any time.
Placed put_in_place(const char* temporary, const char* path) {
  if (link(temporary, path) == 0) {
    unlink(temporary);
    return Placed::kDone;
  }
  if (errno != EEXIST || renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE) != 0) {
    return rename(temporary, path) == 0 ? Placed::kDone : Placed::kFailed;  // a simpler file system
  }
  struct stat was_there{};
  if (lstat(temporary, &was_there) == 0 && newer_than_this_process(was_there) &&
      renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
    return Placed::kShared;
  }
  unlink(temporary);
  return Placed::kDone;
}

void put_under_own_name(const char* temporary, const char* path) {
  static char own_path[kPathSize];
  if (!name_beside(path, "", own_path)) return complain(path, std::strerror(ENAMETOOLONG));
  message("MUSTER_REPORT: '%s' is another process's too; this one's report is '%s' (use %%p)", path,
          own_path);
  if (rename(temporary, own_path) != 0) {
    complain(own_path, std::strerror(errno));
    unlink(temporary);
  }
}

void write_to_file(const char* path, const TextBuffer& text, bool is_anothers) {
  static char temporary[kPathSize];
  if (!name_beside(path, ".tmp", temporary)) return complain(path, std::strerror(ENAMETOOLONG));
  unlink(temporary);
  const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) {
    complain(path, std::strerror(errno));
    return;
  }
  int error = write_whole(file, text);
  if (close(file) != 0 && error == 0) error = errno;
  Placed placed = Placed::kFailed;
  if (error == 0) placed = is_anothers ? Placed::kShared : put_in_place(temporary, path);
  if (placed == Placed::kShared) return put_under_own_name(temporary, path);
  if (placed == Placed::kFailed) {
    if (error == 0) error = errno;
    unlink(temporary);
    complain(path, std::strerror(error));
  }
}

}  // namespace

int write_whole(int file, const TextBuffer& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(file, text.begin() + done, text.size() - done);
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n == 0) return EIO;
    if (n < 0 && errno != EINTR) return errno;
  }
  return 0;
}

void deliver(const char* pattern, const TextBuffer& text) {
  static char path[kPathSize];
  if (!expand_report_path(pattern, path, kind::ReportPath::kMost)) {
    complain(pattern, "the name is too long");
    return;
  }
  struct stat there{};
  const bool exists = stat(path, &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return complain(path, "it is a directory");
  if (exists && S_ISCHR(there.st_mode)) return write_to_device(path, text);
  if (exists && !S_ISREG(there.st_mode)) return complain(path, "it is not a regular file");
  // Without %p in the name, it is the parent's, not that of a child of fork().
  const bool is_the_parents =
      reported_process() != loaded_at().pid && std::strstr(pattern, "%p") == nullptr;
  write_to_file(path, text, is_the_parents);
}

}  // namespace muster
