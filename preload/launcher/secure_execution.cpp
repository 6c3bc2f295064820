#include "preload/launcher/secure_execution.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace muster::launcher {

SecureExecution check_secure_execution(const std::filesystem::path& program) {
  struct stat status{};
  struct statvfs filesystem{};
  if (stat(program.c_str(), &status) != 0) return {};
  if (statvfs(program.c_str(), &filesystem) == 0 && (filesystem.f_flag & ST_NOSUID) != 0) return {};
  // The kernel requests secure execution from the loader if the effective ids differ from the real ones.
  if ((status.st_mode & S_ISUID) != 0) {
    if (status.st_uid != getuid()) return {true, "it is setuid to another user"};
    return {false, "it is setuid: kept for its owner, ignored for anybody else"};
  }
  if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0) {
    if (status.st_gid != getgid()) return {true, "it is setgid to another group"};
    return {false, "it is setgid: kept for its group, ignored for anybody else"};
  }
  if (getxattr(program.c_str(), "security.capability", nullptr, 0) > 0) {
    if (getuid() != 0) return {true, "it has file capabilities"};
    return {false, "it has file capabilities: kept for root, ignored for anybody else"};
  }
  return {};
}

}  // namespace muster::launcher
