#include "preload/launcher/compare/competing_load.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;

constexpr milliseconds kSettling{100};  // until the scheduler has spread the hogs over the CPUs
constexpr int kPeriodUs = 100'000;      // the kernel's default
const fs::path kCgroups = "/sys/fs/cgroup";

[[noreturn]] void use_cpu_time(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);  // Ctrl-C is for the launcher, which ends the hogs
  volatile unsigned long count = 0;
  while (getppid() == parent) {
    for (int i = 0; i < 10'000'000; ++i) count = count + 1;
  }
  _exit(0);
}

// This process's path in the hierarchy of a v1 controller, or in v2's for "".
fs::path own_group(const std::string& controller) {
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool is_meant = controller.empty()
                              ? names == ",,"
                              : names.find("," + controller + ",") != std::string::npos;
    if (is_meant) return fs::path(line.substr(second + 1)).relative_path();
  }
  return {};
}

bool put(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << std::flush;
  return stream.good();
}

bool set_quota(const fs::path& group, double cpus) {
  const auto quota_us = static_cast<long>(cpus * kPeriodUs);
  if (fs::exists(group / "cpu.max")) {
    return put(group / "cpu.max", fmt::format("{} {}", quota_us, kPeriodUs));
  }
  return put(group / "cpu.cfs_period_us", std::to_string(kPeriodUs)) &&
         put(group / "cpu.cfs_quota_us", std::to_string(quota_us));
}

// A new group below `parent` with the quota. Empty, with the reason, if that is impossible.
fs::path new_group(const fs::path& parent, bool is_v2, double cpus, std::string& reason) {
  fs::path group = parent / fmt::format("muster-compare-{}", getpid());
  if (mkdir(group.c_str(), 0755) != 0) {
    reason = fmt::format("{}: {}", parent.string(), std::strerror(errno));
    return {};
  }
  if (is_v2 && !fs::exists(group / "cpu.max")) put(parent / "cgroup.subtree_control", "+cpu");
  if (set_quota(group, cpus) && access((group / "cgroup.procs").c_str(), W_OK) == 0) return group;
  reason = fmt::format("{}: no CPU controller that may be used", parent.string());
  rmdir(group.c_str());
  return {};
}

fs::path make_group(double cpus, std::string& reason) {
  for (const fs::path& mounted : {kCgroups, kCgroups / "unified"}) {
    if (!fs::exists(mounted / "cgroup.controllers")) continue;
    const fs::path group = new_group(mounted / own_group(""), true, cpus, reason);
    if (!group.empty()) return group;
  }
  for (const char* name : {"cpu", "cpu,cpuacct"}) {
    if (!fs::exists(kCgroups / name / "cgroup.procs")) continue;
    const fs::path group = new_group(kCgroups / name / own_group("cpu"), false, cpus, reason);
    if (!group.empty()) return group;
  }
  if (reason.empty()) reason = "no control groups are mounted";
  return {};
}

bool can_start_scopes() {
  const char* probe = "systemd-run --user --scope --quiet -p CPUQuota=100% -- true >/dev/null 2>&1";
  return std::system(probe) == 0;
}

}  // namespace

Hogs::Hogs(unsigned count) {
  const pid_t parent = getpid();
  for (unsigned i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid == 0) use_cpu_time(parent);
    if (pid < 0)
      throw std::runtime_error(fmt::format("cannot start a hog: {}", std::strerror(errno)));
    started_.push_back(pid);
  }
  if (count > 0) std::this_thread::sleep_for(kSettling);
}

Hogs::~Hogs() {
  for (const pid_t pid : started_) kill(pid, SIGKILL);
  for (const pid_t pid : started_) waitpid(pid, nullptr, 0);
}

Quota::Quota(double cpus, unsigned copies) {
  if (cpus <= 0) return;
  std::string reason;
  group_ = make_group(cpus, reason);
  if (!group_.empty()) return;
  if (copies > 1) {
    throw std::runtime_error(
        fmt::format("--quota for several copies needs a control group: {}", reason));
  }
  if (!can_start_scopes()) {
    throw std::runtime_error(fmt::format(
        "--quota needs a control group ({}) or systemd-run --user, which fails", reason));
  }
  prefix_ = {"systemd-run", "--user", "--scope",
             "--quiet",     "-p",     fmt::format("CPUQuota={:.0f}%", 100 * cpus),
             "--"};
}

Quota::~Quota() {
  if (group_.empty()) return;
  // A process that has just ended may still count as a member.
  for (int i = 0; i < 50 && rmdir(group_.c_str()) != 0 && errno == EBUSY; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
  }
}

fs::path Quota::members() const { return group_.empty() ? fs::path() : group_ / "cgroup.procs"; }

}  // namespace muster::launcher
