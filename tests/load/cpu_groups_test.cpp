// Control groups in unusual forms: each tree is written by the test.
#include "load/cpu_groups.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace muster::test {
namespace {

namespace fs = std::filesystem;

class Groups : public testing::Test {
 protected:
  Groups() { fs::create_directories(root_ / "proc/self"); }
  ~Groups() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  // Of the process in `group`, by version 2 below a mount of `shown` at /sys/fs/cgroup.
  void version_2(const std::string& group, const std::string& shown = "/") {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo", "31 23 0:28 " + shown + " /cg rw - cgroup2 cgroup rw\n");
    fs::create_directories(root_ / "cg");
  }
  void version_1() {
    write("proc/self/cgroup", "4:memory:/other\n3:cpu,cpuacct:/job\n");
    write("proc/self/mountinfo", "31 23 0:28 / /cg rw - cgroup cgroup rw,cpu,cpuacct\n");
    fs::create_directories(root_ / "cg/job");
  }
  bool find() { return groups_.find(root_.c_str(), scratch_, sizeof(scratch_)); }
  CpuGroups::Reading read() { return groups_.read(scratch_, sizeof(scratch_), Files::kOpen); }
  CpuGroups::Reading found() {
    EXPECT_TRUE(find());
    return read();
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) / ("muster-groups-" + std::to_string(getpid()));
  CpuGroups groups_;
  char scratch_[16384];
};

TEST_F(Groups, AContainersMountShowsAPartOfTheHierarchy) {
  version_2("/docker/1/sub", "/docker/1");
  write("cg/sub/cpu.max", "50000 100000\n");
  write("cg/sub/cpu.stat", "nr_throttled 3\nthrottled_usec 7\n");
  const CpuGroups::Reading seen = found();
  EXPECT_EQ(seen.quota_millicpus, 500U);
  EXPECT_EQ(seen.throttled_periods, 3U);
  EXPECT_EQ(seen.throttled_ns, 7000U);
  EXPECT_FALSE(seen.quota_failed || seen.throttling_failed);
}

TEST_F(Groups, OrTheProcesssOwnUnderAnotherName) {
  for (const char* shown : {"/docker/1", "/docker/12", "/docker/12345", "/elsewhere/far/away"}) {
    SCOPED_TRACE(shown);
    version_2(shown == std::string("/docker/1") ? "/docker/1" : "/docker/123", shown);
    write("cg/cpu.max", "200000 100000\n");
    write("cg/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
    EXPECT_EQ(found().quota_millicpus, 2000U);
  }
}

TEST_F(Groups, VersionOneHasFilesOfItsOwn) {
  version_1();
  write("cg/job/cpu.cfs_quota_us", "150000\n");
  write("cg/job/cpu.cfs_period_us", "100000\n");
  write("cg/job/cpu.stat", "nr_periods 4\nnr_throttled 2\nthrottled_time 5\n");
  const CpuGroups::Reading seen = found();
  EXPECT_EQ(seen.quota_millicpus, 1500U);
  EXPECT_EQ(seen.throttled_ns, 5U);
  EXPECT_FALSE(seen.quota_failed || seen.throttling_failed);
}

TEST_F(Groups, AQuotaIsNeverNothingAndNeverWraps) {
  version_2("/");
  write("cg/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  for (const auto& [text, quota] :
       {std::pair{"1 1000000\n", 1U}, std::pair{"18446744073709551615 100000\n", 0xFFFF'FFFFU},
        std::pair{"4294967295000 1\n", 0xFFFF'FFFFU}, std::pair{"max 100000\n", 0U}}) {
    SCOPED_TRACE(text);
    write("cg/cpu.max", text);
    EXPECT_EQ(found().quota_millicpus, quota);
  }
}

TEST_F(Groups, WhatMakesNoSenseIsNoQuota) {
  version_2("/");
  for (const char* text : {"", "much 100000\n", "100000\n", "100000 some\n", "100000 0\n"}) {
    SCOPED_TRACE(text);
    write("cg/cpu.max", text);
    const CpuGroups::Reading seen = found();
    EXPECT_TRUE(seen.quota_failed);
    EXPECT_EQ(seen.quota_millicpus, 0U);
  }
  fs::remove(root_ / "cg/cpu.max");
  fs::create_directories(root_ / "cg/cpu.max");  // it can be opened, not read
  EXPECT_TRUE(found().quota_failed);
}

TEST_F(Groups, NorInVersionOne) {
  version_1();
  for (const auto& [quota, period] :
       {std::pair{"many\n", "100000\n"}, std::pair{"100000\n", "none\n"},
        std::pair{"100000\n", "0\n"}, std::pair{"100000\n", ""}}) {
    write("cg/job/cpu.cfs_quota_us", quota);
    write("cg/job/cpu.cfs_period_us", period);
    EXPECT_TRUE(found().quota_failed) << quota << period;
  }
  fs::remove(root_ / "cg/job/cpu.cfs_period_us");
  EXPECT_TRUE(found().quota_failed);
  write("cg/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(found().quota_failed);
  fs::remove(root_ / "cg/job/cpu.cfs_quota_us");
  EXPECT_FALSE(found().quota_failed) << "a group without the controller";
  fs::create_directories(root_ / "cg/job/cpu.cfs_quota_us");
  EXPECT_TRUE(found().quota_failed);
}

TEST_F(Groups, AGroupWithoutAQuotaHoldsNoFile) {
  version_2("/");
  write("cg/cpu.max", "max 100000\n");
  EXPECT_TRUE(find());
  EXPECT_EQ(groups_.read(scratch_, sizeof(scratch_), Files::kKeep).quota_millicpus, 0U);
}

TEST_F(Groups, ThrottlingMayBeMissing) {
  version_2("/");
  write("cg/cpu.max", "100000 100000\n");
  EXPECT_TRUE(found().throttling_failed) << "no file";
  for (const char* text : {"usage_usec 3\n", "nr_throttled 3\n"}) {
    write("cg/cpu.stat", text);
    EXPECT_TRUE(found().throttling_failed) << text;
  }
}

TEST_F(Groups, NoMountIsFoundWhereNoneIsOurs) {
  version_2("/../beside");
  EXPECT_FALSE(find()) << "outside of what the namespace shows";
  version_2("/");
  write("proc/self/mountinfo", "31 23 0:28 / relative rw - cgroup2 cgroup rw\nshort line\n");
  EXPECT_FALSE(find());
  version_2("/");
  write("proc/self/mountinfo", "31 23 0:28 / /nowhere rw - cgroup2 cgroup rw\n");
  EXPECT_FALSE(find()) << "mounted, but not here";
  write("proc/self/mountinfo", "31 23 0:28 / /" + std::string(3000, 'x') + " rw - cgroup2 c rw\n");
  EXPECT_FALSE(find()) << "a path that is too long";
  write("proc/self/cgroup", "no colon\none:colon\n0::/" + std::string(5000, 'x') + "\n");
  EXPECT_FALSE(find()) << "no group that can be kept";
}

// A bind mount shows less, wherever it stands in the list; and a part that is not the process's shows nothing of it.
TEST_F(Groups, TheMountThatShowsMostGroupsCounts) {
  version_2("/a/b");
  write("cg/a/cpu.max", "50000 100000\n");
  write("cg/a/b/cpu.max", "70000 100000\n");
  write("bound/cpu.max", "70000 100000\n");
  write("other/cpu.max", "10000 100000\n");
  const std::string whole = "31 23 0:28 / /cg rw - cgroup2 cgroup rw\n";
  const std::string bound = "32 23 0:28 /a/b /bound rw - cgroup2 cgroup rw\n";
  const std::string other = "33 23 0:28 /c /other rw - cgroup2 cgroup rw\n";
  for (const std::string& lines : {other + bound + whole, whole + bound + other, bound + whole}) {
    write("proc/self/mountinfo", lines);
    EXPECT_EQ(found().quota_millicpus, 500U) << lines;
  }
  write("proc/self/mountinfo", other + bound);
  EXPECT_EQ(found().quota_millicpus, 700U);
}

TEST_F(Groups, ALaterMountHidesAnEarlierOneAtTheSamePlace) {
  version_2("/a");
  write("cg/cpu.max", "70000 100000\n");
  write("proc/self/mountinfo",
        "31 23 0:28 / /cg rw - cgroup2 cgroup rw\n32 31 0:28 /a /cg rw - cgroup2 cgroup rw\n");
  EXPECT_EQ(found().quota_millicpus, 700U);
}

// The mount was made outside of the process's cgroup namespace: names above are relative to that, or not shown.
TEST_F(Groups, PathsThatLeadOutOfTheNamespace) {
  version_2("/../beside", "/..");
  write("cg/cpu.max", "70000 100000\n");
  write("cg/beside/cpu.max", "50000 100000\n");
  CpuGroups::Reading seen = found();
  EXPECT_EQ(seen.quota_millicpus, 500U);
  EXPECT_FALSE(seen.quota_failed);
  version_2("/..", "/..");
  EXPECT_EQ(found().quota_millicpus, 700U);
  version_2("/", "/../..");
  seen = found();
  EXPECT_EQ(seen.quota_millicpus, 700U) << "the two groups in between are not known";
  EXPECT_TRUE(seen.quota_failed);
  version_2("/", "/../beside");
  EXPECT_FALSE(find());
  version_2("/..name", "/");
  write("cg/..name/cpu.max", "30000 100000\n");
  EXPECT_EQ(found().quota_millicpus, 300U) << "a name that only begins with two dots";
}

TEST_F(Groups, TheUsualPlacesIfTheListsAreDenied) {
  EXPECT_FALSE(find());
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  CpuGroups::Reading seen = found();
  EXPECT_EQ(seen.quota_millicpus, 500U);
  EXPECT_TRUE(seen.quota_failed) << "there may be other groups";
  write("sys/fs/cgroup/a/cpu.max", "30000 100000\n");
  write("proc/self/cgroup", "0::/a\n");
  EXPECT_EQ(found().quota_millicpus, 300U);
  fs::remove_all(root_ / "sys");
  write("proc/self/cgroup", "3:cpu,cpuacct:/a\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "20000\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(found().quota_millicpus, 200U);
}

// \040 is a blank; what only begins like that is left as it is.
TEST_F(Groups, MountsWithStrangeNames) {
  version_2("/");
  write("a b\\9\\18\\777/cpu.max", "100000 100000\n");
  write("proc/self/mountinfo", "31 23 0:28 / /a\\040b\\9\\18\\777 rw - cgroup2 cgroup rw\n");
  fs::create_directories(root_ / "a b\\9\\18\\377");
  EXPECT_FALSE(find()) << "no such folder";
  write("proc/self/mountinfo", "31 23 0:28 / /a\\04 rw - cgroup2 cgroup rw\n");
  EXPECT_FALSE(find());
  write("proc/self/mountinfo", "31 23 0:28 / /a\\040b\\9\\18\\/x rw - cgroup2 cgroup rw\n");
  write("a b\\9\\18\\/x/cpu.max", "100000 100000\n");
  EXPECT_EQ(found().quota_millicpus, 1000U);
}

}  // namespace
}  // namespace muster::test
