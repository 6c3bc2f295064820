#include "preload/live/live.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "platform/lock.h"
#include "platform/yield_cpu.h"
#include "preload/live/live_path.h"
#include "preload/message.h"
#include "preload/report/report.h"

namespace muster {
namespace {

constexpr std::size_t kStack = 512 * 1024;
constexpr unsigned kEveryMs = 1000;
constexpr std::uint64_t kFirstAfterNs = 100'000'000;  // not before the first region has begun

std::atomic<bool> g_shows{false};
std::atomic<bool> g_ends{false};
Lock g_showing;

// Returns 0 or the error.
int replace_file(const char* path, const TextBuffer& text) {
  char temporary[kLivePathSize + 8];
  std::snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  unlink(temporary);
  const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno;
  int error = write_whole(file, text);
  close(file);
  if (error == 0 && rename(temporary, path) != 0) error = errno;
  if (error != 0) unlink(temporary);
  return error;
}

// False: no more.
bool show(const char* path) {
  const Locked locked(g_showing);
  if (g_ends.load(std::memory_order_relaxed)) return false;
  TextBuffer text;
  compose_report(Format::kJson, text);
  const int error = text.complete() ? replace_file(path, text) : ENOMEM;
  if (error == 0) return true;
  message("MUSTER_LIVE: cannot write '%s': %s; nothing is shown", path, std::strerror(error));
  return false;
}

void* run(void*) {
  char path[kLivePathSize];
  live_path(geteuid(), getpid(), path);
  nap(kFirstAfterNs);
  while (show(path)) {
    for (unsigned ms = 0; ms < kEveryMs && !g_ends.load(std::memory_order_relaxed); ms += 50) {
      nap(50'000'000);
    }
  }
  return nullptr;
}

}  // namespace

void begin_live() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, run, nullptr);
  if (error == 0) pthread_setname_np(thread, "muster-live");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return message("MUSTER_LIVE: no thread: %s; nothing is shown", std::strerror(error));
  g_shows.store(true);
}

void end_live() {
  if (!g_shows.load()) return;
  g_ends.store(true, std::memory_order_relaxed);
  const Locked no_longer_shown(g_showing);
  char path[kLivePathSize];
  live_path(geteuid(), getpid(), path);
  unlink(path);
}

void live_after_fork() { g_shows.store(false); }

}  // namespace muster
