// How many threads fit what a process may use: `muster run --threads auto`. A pure function of facts, which
// thread_facts.h reads.
//
// The number is the least of
// - the CPUs of the affinity mask. Cpusets and unplugged CPUs narrow it;
// - of these, the CPUs that other processes leave, if those use less than half of them. A thread that shares its CPU
//   with one other gets half of it, and its teammates wait for it at each barrier. So a team on all c CPUs, h of them
//   busy, computes as fast as c/2 undisturbed threads, and a team on the c - h others as fast as c - h. If h is c/2 or
//   more, fewer threads gain nothing, and the load is ignored;
// - the tightest CPU quota of the process's cgroups and those above, rounded up, or down if that loses at most a tenth of
//   it. With one thread more than the quota has CPUs, all threads stop for the rest of each period, but with Muster
//   they use the quota up: the BARRIER program with 2 threads under quotas of 1.2, 1.5 and 1.8 CPUs did 1.2, 1.5 and
//   1.8 times the work of one thread. At 1.05 and 1.1 it gained nothing;
// - what the user set: the first number of OMP_NUM_THREADS, and OMP_THREAD_LIMIT.
//
// Other processes under Muster count as any load, also with MUSTER_TURNS=auto: by the rule above, CPUs for itself are
// better for a team than turns.
#pragma once

#include <cstdint>
#include <string>

namespace muster::launcher {

struct ThreadFacts {
  unsigned allowed_cpus = 1;
  unsigned busy_cpus = 0;             // of the allowed ones, with other processes
  std::uint32_t quota_millicpus = 0;  // 0: none
  bool quota_known = true;            // false: some cgroup could not be read
  struct Limit {
    unsigned threads = 0;  // 0: not set
    const char* variable = "";
  } user = {};
};

struct ThreadNumber {
  unsigned threads;
  std::string reason;  // what limits it, and the other facts in parentheses
};

ThreadNumber number_of_threads(const ThreadFacts& facts);

}  // namespace muster::launcher
