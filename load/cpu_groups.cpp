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

// A path in a hierarchy as /proc shows it: relative to the root of the process's cgroup namespace. A path that begins
// with "/.." leads out of that.
struct HierarchyPath {
  unsigned above = 0;  // levels
  const char* rest;    // "" or "/name..."

  explicit HierarchyPath(const char* text) : rest(text) {
    while (std::strncmp(rest, "/..", 3) == 0 && (rest[3] == '/' || rest[3] == '\0')) {
      rest += 3;
      ++above;
    }
    if (std::strcmp(rest, "/") == 0) rest = "";
  }
};

// What a mount shows of the process's group, the better the greater.
enum class Shows : unsigned char {
  kNothing,
  kItself,  // and none of those above, if this is a container's mount of its own group, under an unknown name
  kAncestor,  // the names of the groups in between are outside of the process's namespace
  kGroup,
};

// `path`: where the group is below the mount. `hidden`: how many levels, of which some have no known name.
Shows what_is_shown(const char* group_text, const char* mount_root, const char*& path,
                    unsigned& hidden) {
  path = "";
  hidden = 0;
  const HierarchyPath group(group_text);
  const HierarchyPath mount(mount_root);
  if (mount.above > group.above && *mount.rest == '\0') {
    hidden = mount.above - group.above;
    for (const char* at = group.rest; *at != '\0'; ++at) hidden += *at == '/' ? 1 : 0;
    return Shows::kAncestor;
  }
  if (mount.above != group.above) return Shows::kNothing;
  const std::size_t length = std::strlen(mount.rest);
  const bool below = std::strncmp(group.rest, mount.rest, length) == 0 &&
                     (group.rest[length] == '/' || group.rest[length] == '\0');
  if (!below) return mount.above == 0 ? Shows::kItself : Shows::kNothing;
  path = group.rest + length;
  return Shows::kGroup;
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

// The names of the process's groups, each into `size` bytes: "4:cpu,cpuacct:/a/b" or "0::/a/b". False: not readable.
bool read_memberships(const char* root, char* group_v1, char* group_v2, std::size_t size,
                      char* lines, std::size_t rest) {
  join(lines, rest, root, "/proc/self/cgroup");
  FileLines memberships(lines, lines,
                        rest);  // the path is used up before the first line is read over it
  while (char* line = memberships.next()) {
    char* controllers = std::strchr(line, ':');
    char* group = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (group == nullptr) continue;
    *group++ = '\0';
    ++controllers;
    const std::size_t length = std::strlen(group);
    if (length >= size) continue;
    if (controllers[0] == '\0') std::memcpy(group_v2, group, length + 1);
    if (has_word(controllers, "cpu")) std::memcpy(group_v1, group, length + 1);
  }
  return memberships.opened();
}

}  // namespace

// "36 35 98:0 /root /mount/point rw,relatime ... - cgroup cgroup rw,cpu,cpuacct"
//
// Several mounts may show parts of the hierarchy, for instance bind mounts. The best one shows the group and most of
// those above it. A later one at the same place hides the earlier.
void CpuGroups::take_mount(char* line, const char* root, const char* group_v1,
                           const char* group_v2) {
  char* kind = std::strstr(line, " - ");
  if (kind == nullptr) return;
  *kind = '\0';
  kind += 3;
  const char* type = take_word(kind);
  take_word(kind);  // the device
  const bool is_v2 = std::strcmp(type, "cgroup2") == 0;
  const bool is_v1 = std::strcmp(type, "cgroup") == 0 && has_word(kind, "cpu");
  if (!is_v1 && !is_v2) return;
  for (int skipped = 0; skipped < 3; ++skipped) take_word(line);
  char* mount_root = take_word(line);
  char* mount_point = take_word(line);
  undo_octal(mount_root);
  undo_octal(mount_point);
  const char* group = is_v1 ? group_v1 : group_v2;
  if (mount_point[0] != '/' || group[0] != '/') return;
  const char* path;
  unsigned hidden;
  const Shows shows = what_is_shown(group, mount_root, path, hidden);
  if (shows == Shows::kNothing) return;
  char folder[kLongestPath];
  const std::size_t mount = join(folder, sizeof(folder), root, mount_point);
  const std::size_t all = join(folder, sizeof(folder), root, mount_point, path);
  if (all >= sizeof(folder)) return;
  const bool hides =
      length_ != 0 && mount == mount_length_ && std::memcmp(folder, folder_, mount) == 0;
  const auto rank = static_cast<unsigned char>(shows);
  const bool better = rank > rank_ || (rank == rank_ && all - mount > length_ - mount_length_);
  if (length_ != 0 && !better && !hides) return;
  const long opened = open_to_read(folder);
  if (opened >= 0) close_quietly(opened);
  if (opened < 0 && opened != -EACCES) return;  // mounted, but not here: a chroot
  std::memcpy(folder_, folder, all + 1);
  mount_length_ = mount;
  length_ = all;
  rank_ = rank;
  version_2_ = is_v2;
  hidden_levels_ = hidden;
  incomplete_ = hidden != 0;
}

bool CpuGroups::find(const char* root, char* buffer, std::size_t size) {
  length_ = hidden_levels_ = 0;
  // The names of the process's groups share the buffer with the lines that are read.
  const std::size_t part = size / 4;
  char* group_v1 = buffer;
  char* group_v2 = buffer + part;
  char* lines = buffer + 2 * part;
  const std::size_t rest = size - 2 * part;
  group_v1[0] = group_v2[0] = '\0';
  const bool named = read_memberships(root, group_v1, group_v2, part, lines, rest);
  // Where both versions are mounted, the controller is in version 1 if the process is there by it.
  if (group_v1[0] == '/') group_v2[0] = '\0';
  if (!named) group_v1[0] = group_v2[0] = '/', group_v1[1] = group_v2[1] = '\0';
  join(lines, rest, root, "/proc/self/mountinfo");
  FileLines mounts(lines, lines, rest);
  while (char* line = mounts.next()) take_mount(line, root, group_v1, group_v2);
  if (!mounts.opened()) take_usual_mounts(root, group_v1, group_v2, lines, rest);
  if (!named || !mounts.opened()) incomplete_ = true;
  return found();
}

// For a process to which the lists of groups and mounts are denied, by AppArmor for instance, but not the groups. In a
// container, these show its own group.
void CpuGroups::take_usual_mounts(const char* root, const char* group_v1, const char* group_v2,
                                  char* line, std::size_t size) {
  for (const char* mount :
       {"/sys/fs/cgroup rw - cgroup2 cgroup2 rw", "/sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu",
        "/sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu"}) {
    join(line, size, "0 0 0:0 / ", mount);
    take_mount(line, root, group_v1, group_v2);
  }
}

bool CpuGroups::enter(const char* path) {
  const std::size_t more = std::strlen(path);
  if (length_ + more >= sizeof(folder_)) return false;
  std::memcpy(folder_ + length_, path, more + 1);
  length_ += more;
  hidden_levels_ = 0;
  incomplete_ = false;
  return true;
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
  out.quota_failed = incomplete_;
  for (std::size_t length = length_;;) {
    read_level(folder_, length, out, buffer, size, how);
    if (length <= mount_length_) return out;
    do {
      --length;
    } while (folder_[length] != '/');  // there is one where the mount's part ends
  }
}

}  // namespace muster
