#include "load/cpu_groups.h"

#include <cerrno>
#include <cstring>

#include "platform/join_text.h"
#include "platform/number_text.h"
#include "platform/read_file.h"

namespace muster {
namespace {

// FNV-1a, of a folder that is counted into what was counted so far.
std::uint64_t mix(std::uint64_t hash, const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211U;
  }
  return hash * 1099511628211U;
}

// Whether `list`, separated by commas, has `word`.
bool has_word(const char* list, const char* word) {
  const std::size_t length = std::strlen(word);
  for (const char* at = list; at != nullptr; at = std::strchr(at, ',')) {
    if (*at == ',') ++at;
    if (std::strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

// /proc/self/mountinfo writes blanks, tabs, newlines and backslashes as \ooo.
void undo_octal(char* text) {
  const auto digit = [](char c) { return c >= '0' && c <= '7'; };
  char* to = text;
  for (const char* from = text; *from != '\0'; ++to) {
    if (from[0] == '\\' && digit(from[1]) && digit(from[2]) && digit(from[3])) {
      *to = static_cast<char>((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
      from += 4;
    } else {
      *to = *from++;
    }
  }
  *to = '\0';
}

// Cuts the next word off a line.
char* take_word(char*& line) {
  char* word = line;
  while (*line != ' ' && *line != '\0') ++line;
  if (*line == ' ') *line++ = '\0';
  return word;
}

// Where `group` is below a mount that shows the hierarchy from `mount_root` on; null where the
// mount does not show it.
const char* below(const char* group, const char* mount_root) {
  if (std::strcmp(mount_root, "/") == 0) return group;
  const std::size_t length = std::strlen(mount_root);
  if (std::strncmp(group, mount_root, length) != 0) return nullptr;
  return group[length] == '/' || group[length] == '\0' ? group + length : nullptr;
}

// quota/period in thousandths of a CPU, at least 1.
std::uint32_t millicpus(std::uint64_t quota_us, std::uint64_t period_us) {
  constexpr std::uint64_t kMost = 0xFFFF'FFFF;
  if (quota_us > kMost * 1000) return kMost;  // a product that would not fit
  const std::uint64_t share = quota_us * 1000 / period_us;
  return share == 0 ? 1 : static_cast<std::uint32_t>(share < kMost ? share : kMost);
}

// Paths inside a folder, made in the caller's buffer: a name behind the folder's first `length`.
struct Level {
  const char* folder;
  std::size_t length;
  char* buffer;
  std::size_t size;
  Files how;

  // Reads the file into the buffer's second half. Its length, or minus the error number.
  long read(const char* name, char*& text) const {
    const std::size_t half = size / 2;
    join(buffer, half, std::string_view(folder, length), "/", name);
    text = buffer + half;
    return read_file(how, buffer, text, size - half);
  }

  void keep_no_longer(const char* name) const {
    join(buffer, size, std::string_view(folder, length), "/", name);
    muster::keep_no_longer(buffer);
  }
};

// One level's quota. 0: there is none. False: a file that is there makes no sense.
bool quota_of_version_2(const Level& level, std::uint32_t& quota) {
  quota = 0;
  char* text;
  const long length = level.read("cpu.max", text);
  if (length == -ENOENT) return true;  // the root, or a group without the controller
  if (length < 0) return false;
  if (std::strncmp(text, "max", 3) == 0) return true;
  const char* at = text;
  std::uint64_t quota_us;
  std::uint64_t period_us;
  if (!take_number(at, quota_us) || *at++ != ' ') return false;
  if (!take_number(at, period_us) || period_us == 0) return false;
  quota = millicpus(quota_us, period_us);
  return true;
}

bool quota_of_version_1(const Level& level, std::uint32_t& quota) {
  quota = 0;
  char* text;
  long length = level.read("cpu.cfs_quota_us", text);
  if (length == -ENOENT) return true;
  if (length < 0) return false;
  if (std::strncmp(text, "-1", 2) == 0) return true;
  const char* at = text;
  std::uint64_t quota_us;
  if (!take_number(at, quota_us)) return false;
  length = level.read("cpu.cfs_period_us", text);
  at = text;
  std::uint64_t period_us;
  if (length < 0 || !take_number(at, period_us) || period_us == 0) return false;
  quota = millicpus(quota_us, period_us);
  return true;
}

bool add_throttling(const Level& level, bool version_2, CpuGroups::Reading& out) {
  char* text;
  if (level.read("cpu.stat", text) < 0) return false;
  std::uint64_t periods;
  std::uint64_t time;
  if (!number_behind(text, "nr_throttled ", periods)) return false;
  if (!number_behind(text, version_2 ? "throttled_usec " : "throttled_time ", time)) return false;
  out.throttled_periods += periods;
  out.throttled_ns += version_2 ? time * 1000 : time;
  return true;
}

}  // namespace

// "36 35 98:0 /root /mount/point rw,relatime ... - cgroup cgroup rw,cpu,cpuacct"
bool CpuGroups::take_mount(char* line, const char* root, const char* group_v1,
                           const char* group_v2) {
  char* kind = std::strstr(line, " - ");
  if (kind == nullptr) return false;
  *kind = '\0';
  kind += 3;
  const char* type = take_word(kind);
  take_word(kind);  // the device
  const bool is_v2 = std::strcmp(type, "cgroup2") == 0;
  const bool is_v1 = std::strcmp(type, "cgroup") == 0 && has_word(kind, "cpu");
  if (!is_v1 && !is_v2) return false;
  for (int skipped = 0; skipped < 3; ++skipped) take_word(line);
  char* mount_root = take_word(line);
  char* mount_point = take_word(line);
  undo_octal(mount_root);
  undo_octal(mount_point);
  const char* group = is_v1 ? group_v1 : group_v2;
  if (mount_point[0] != '/' || group[0] != '/') return false;
  if (std::strncmp(group, "/..", 3) == 0) return false;  // outside of what our namespace shows
  const char* path = below(group, mount_root);
  // A container's mount may show its own group only, under a name that we are not told.
  if (path == nullptr || std::strcmp(path, "/") == 0) path = "";
  const std::size_t mount = join(folder_, sizeof(folder_), root, mount_point);
  const std::size_t all = join(folder_, sizeof(folder_), root, mount_point, path);
  if (all >= sizeof(folder_)) return false;
  mount_length_ = mount;
  length_ = all;
  version_2_ = is_v2;
  return true;
}

bool CpuGroups::find(const char* root, char* buffer, std::size_t size) {
  length_ = 0;
  // The names of the process's groups share the buffer with the lines that are read.
  const std::size_t part = size / 4;
  char* group_v1 = buffer;
  char* group_v2 = buffer + part;
  char* lines = buffer + 2 * part;
  group_v1[0] = group_v2[0] = '\0';
  join(lines, part, root, "/proc/self/cgroup");
  // The path is used up before the first line is read over it.
  FileLines memberships(lines, lines, size - 2 * part);
  while (char* line = memberships.next()) {  // "4:cpu,cpuacct:/a/b" or "0::/a/b"
    char* controllers = std::strchr(line, ':');
    char* group = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (group == nullptr) continue;
    *group++ = '\0';
    ++controllers;
    const std::size_t length = std::strlen(group);
    if (length >= part) continue;
    if (controllers[0] == '\0') std::memcpy(group_v2, group, length + 1);
    if (has_word(controllers, "cpu")) std::memcpy(group_v1, group, length + 1);
  }
  // Where both versions are mounted, the controller is in version 1 if the process is there by it.
  const bool by_version_1 = group_v1[0] == '/';
  if (!by_version_1 && group_v2[0] != '/') return false;
  join(lines, part, root, "/proc/self/mountinfo");
  FileLines mounts(lines, lines, size - 2 * part);
  while (char* line = mounts.next()) {
    if (!take_mount(line, root, group_v1, by_version_1 ? "" : group_v2)) continue;
    const long folder = open_to_read(folder_);
    if (folder >= 0) {
      close_quietly(folder);
      return true;
    }
    length_ = 0;  // mounted, but not here: a chroot
  }
  return false;
}

void CpuGroups::read_level(const char* folder, std::size_t length, Reading& out, char* buffer,
                           std::size_t size, Files how) const {
  const Level level{folder, length, buffer, size, how};
  std::uint32_t quota = 0;
  const bool good =
      version_2_ ? quota_of_version_2(level, quota) : quota_of_version_1(level, quota);
  if (!good) out.quota_failed = true;
  if (quota == 0) {
    if (how == Files::kKeep) level.keep_no_longer(version_2_ ? "cpu.max" : "cpu.cfs_quota_us");
    return;
  }
  if (out.quota_millicpus == 0 || quota < out.quota_millicpus) out.quota_millicpus = quota;
  if (!add_throttling(level, version_2_, out)) out.throttling_failed = true;
  out.counted = mix(out.counted, folder, length);
}

CpuGroups::Reading CpuGroups::read(char* buffer, std::size_t size, Files how) const {
  Reading out;
  if (length_ == 0) return out;
  for (std::size_t length = length_;;) {
    read_level(folder_, length, out, buffer, size, how);
    if (length <= mount_length_) return out;
    do {
      --length;
    } while (folder_[length] != '/');  // there is one where the mount's part ends
  }
}

}  // namespace muster
