// The cgroups that this process is in, for what limits its CPU time: the quota of each group from
// its own up to the hierarchy's root, version 1 (cpu.cfs_quota_us) or 2 (cpu.max), and how often
// they throttled. Source: the kernel's Documentation/admin-guide/cgroup-v2.rst and
// scheduler/sched-bwc.rst.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/kept_files.h"

namespace muster {

class CpuGroups {
 public:
  struct Reading {
    std::uint32_t quota_millicpus = 0;  // the tightest; 0 = none
    std::uint64_t throttled_periods = 0;
    std::uint64_t throttled_ns = 0;
    // Differs if other groups were counted: counts cannot be compared then.
    std::uint64_t counted = 0;
    bool quota_failed = false;       // a file has no valid content, or some groups are not shown
    bool throttling_failed = false;  // the same, of cpu.stat
  };

  // Where the groups' folder is: reads /proc/self/cgroup and /proc/self/mountinfo below `root`
  // ("" is the machine's own), or looks in the usual places if they are denied. False where there is
  // none. `buffer` is scratch of at least 1,024 bytes; longer lines are not seen. Takes 1 kB of stack.
  bool find(const char* root, char* buffer, std::size_t size);

  bool found() const { return length_ != 0; }

  // How many levels below folder() the process's group is, if the mount was made outside of the process's cgroup
  // namespace: names between them are not in /proc/self/cgroup. 0: they are known.
  unsigned hidden_levels() const { return hidden_levels_; }
  const char* folder() const { return folder_; }
  // For a caller that searched those folders: `path`, as "/a/b", leads to the group. False: it is too long.
  bool enter(const char* path);

  // Reads the quotas of all levels, and cpu.stat of those that have one. Some 3 us a level without
  // a quota, 6 to 9 with one. By descriptors that are kept it sees only the levels that had a quota when
  // those were opened.
  Reading read(char* buffer, std::size_t size, Files how) const;

 private:
  static constexpr std::size_t kLongestPath = 1024;

  void take_mount(char* line, const char* root, const char* group_v1, const char* group_v2);
  void take_usual_mounts(const char* root, const char* group_v1, const char* group_v2, char* line,
                         std::size_t size);
  void read_level(const char* folder, std::size_t length, Reading& out, char* buffer,
                  std::size_t size, Files how) const;

  char folder_[kLongestPath] = {};  // the process's own group
  std::size_t length_ = 0;          // of folder_; 0 = not found
  std::size_t mount_length_ = 0;    // of the part that is the mount point: levels end there
  unsigned char rank_ = 0;          // of the mount: the more it shows, the greater
  bool version_2_ = false;
  unsigned hidden_levels_ = 0;
  bool incomplete_ = false;  // there may be groups above that are not shown
};

}  // namespace muster
