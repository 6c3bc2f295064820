#include "preload/report/kept_stderr.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "platform/thread_count.h"

namespace muster {
namespace {

struct KeptDescriptor {
  int number = -1;
  dev_t device = 0;
  ino_t inode = 0;
};

constinit KeptDescriptor g_kept;

// The program may have closed the copy, together with all others, and reused its number.
bool is_still_it() {
  struct stat now{};
  return g_kept.number >= 0 && fstat(g_kept.number, &now) == 0 && now.st_dev == g_kept.device &&
         now.st_ino == g_kept.inode;
}

// A child that lives on, such as a daemon, must not keep a pipe open whose reader waits for its end.
void close_in_child() {
  if (is_still_it()) close(g_kept.number);
  g_kept.number = -1;
}

// Far from the numbers that a program gets. With several threads, a larger descriptor table would take the kernel some
// milliseconds.
int least_number() {
  rlimit limit{};
  if (!has_one_thread() || getrlimit(RLIMIT_NOFILE, &limit) != 0) return 32;
  return static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur, 64, 1024)) - 32;
}

}  // namespace

void keep_stderr() {
  struct stat found{};
  if (fstat(STDERR_FILENO, &found) != 0) return;
  g_kept = {fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least_number()), found.st_dev, found.st_ino};
  if (g_kept.number >= 0) pthread_atfork(nullptr, nullptr, close_in_child);
}

int stderr_of_report() {
  const bool is_closed = fcntl(STDERR_FILENO, F_GETFD) < 0;
  return is_closed && is_still_it() ? g_kept.number : STDERR_FILENO;
}

}  // namespace muster
