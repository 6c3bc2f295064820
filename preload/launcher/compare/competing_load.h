// The load beside a run: CPU hogs, and a CPU quota.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace muster::launcher {

// Processes that only use CPU time, for as long as this object lives. They end with this process, whichever way it
// ends.
class Hogs {
 public:
  explicit Hogs(unsigned count);  // throws std::runtime_error
  Hogs(const Hogs&) = delete;
  Hogs& operator=(const Hogs&) = delete;
  ~Hogs();

 private:
  std::vector<pid_t> started_;
};

// A CPU quota for the processes of a run: a control group where one can be made, else a scope of systemd's.
class Quota {
 public:
  // 0 CPUs: no quota. Throws std::runtime_error with the reasons if there is no way.
  Quota(double cpus, unsigned copies);
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;
  ~Quota();

  // The file to which a process writes "0" to enter; empty: none.
  std::filesystem::path members() const;
  // The words before the command.
  const std::vector<std::string>& prefix() const { return prefix_; }

 private:
  std::filesystem::path group_;
  std::vector<std::string> prefix_;
};

}  // namespace muster::launcher
