#include "preload/launcher/live_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "preload/live/live_path.h"

namespace muster::launcher {
namespace {

constexpr off_t kMostBytes = off_t{64} << 20;

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

// The process may belong to another user if the caller is root: who owns it is asked.
uid_t owner_of(pid_t process) {
  struct stat folder{};
  const bool runs = stat(fmt::format("/proc/{}", process).c_str(), &folder) == 0;
  return runs && geteuid() == 0 ? folder.st_uid : geteuid();
}

std::string read_all(int file) {
  std::string text;
  char buffer[65536];
  for (ssize_t n = 1; n > 0;) {
    n = read(file, buffer, sizeof buffer);
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 || static_cast<off_t>(text.size()) > kMostBytes) throw NoReport("it cannot be read");
  }
  return text;
}

}  // namespace

LiveState read_live(pid_t process) {
  char path[kLivePathSize];
  const uid_t owner = owner_of(process);
  live_path(static_cast<unsigned long>(owner), process, path);
  const Descriptor file{open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (file.number < 0 && errno == ENOENT) {
    throw NoReport(fmt::format(
        "no state of process {}: it needs MUSTER_LIVE=on and a parallel region", process));
  }
  if (file.number < 0) throw NoReport(fmt::format("{}: {}", path, std::strerror(errno)));
  struct stat facts{};
  if (fstat(file.number, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != owner ||
      facts.st_size > kMostBytes) {
    throw NoReport(fmt::format("{}: not a file of that process's user", path));
  }
  LiveState state;
  state.report = parse_report(read_all(file.number), MUSTER_VERSION);
  state.written = facts.st_mtim;
  state.runs = access(fmt::format("/proc/{}", process).c_str(), F_OK) == 0;
  return state;
}

double seconds_between(const timespec& before, const timespec& after) {
  return static_cast<double>(after.tv_sec - before.tv_sec) +
         static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9;
}

}  // namespace muster::launcher
