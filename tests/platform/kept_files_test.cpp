// Kept files: their descriptors do not collide with the program's, and are given up when it closes them.
#include "platform/kept_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "platform/thread_count.h"

namespace muster::test {
namespace {

// The descriptors that the process has, whatever its limit is.
std::vector<int> descriptors() {
  std::vector<int> found;
  for (int number = 0; number < 8192; ++number) {
    if (fcntl(number, F_GETFD) >= 0) found.push_back(number);
  }
  return found;
}

int lowest_free() {
  const int number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(number);
  return number;
}

class Kept : public testing::Test {
 protected:
  Kept() : path_(testing::TempDir() + "muster-kept-" + std::to_string(getpid())) { write("one"); }
  ~Kept() override {
    keep_no_longer(path_.c_str());
    std::filesystem::remove(path_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  void write(const char* text) { std::ofstream(path_) << text; }
  long read(Files how) { return read_file(how, path_.c_str(), text_, sizeof(text_)); }
  // The descriptor that did not exist before.
  int kept_descriptor(const std::vector<int>& before) {
    const std::vector<int> now = descriptors();
    std::vector<int> added;
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                        std::back_inserter(added));
    EXPECT_EQ(added.size(), 1U);
    return added.empty() ? -1 : added.front();
  }

  std::string path_;
  char text_[16] = {};
};

TEST_F(Kept, IsReadAnewEachTimeAndTakesNoLowNumber) {
  const int lowest = lowest_free();
  const std::vector<int> before = descriptors();
  EXPECT_EQ(read(Files::kKept), -ENOENT) << "never opened";
  EXPECT_EQ(read(Files::kKeep), 3);
  EXPECT_STREQ(text_, "one");
  EXPECT_EQ(lowest_free(), lowest);
  const int kept = kept_descriptor(before);
  EXPECT_EQ(fcntl(kept, F_GETFD), FD_CLOEXEC);
  // Sanitizers have a thread of their own. With several threads a larger table would have to be waited for.
  EXPECT_GE(kept, has_one_thread() ? 100 : 64 - static_cast<int>(kMostKept));
  write("two, longer");
  EXPECT_EQ(read(Files::kKept), 11);
  EXPECT_STREQ(text_, "two, longer");
  EXPECT_EQ(read_part(Files::kKept, path_.c_str(), 5, text_, 4), 3);
  EXPECT_STREQ(text_, "lon");
  EXPECT_EQ(lseek(kept, 0, SEEK_CUR), 0);
  keep_no_longer(path_.c_str());
  EXPECT_EQ(descriptors(), before);
}

TEST_F(Kept, IsGivenUpWhenTheProgramClosesIt) {
  const std::vector<int> before = descriptors();
  ASSERT_EQ(read(Files::kKeep), 3);
  const int kept = kept_descriptor(before);
  close(kept);
  EXPECT_EQ(read(Files::kKept), -EBADF);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (static_cast<rlim_t>(kept) < limit.rlim_cur) {
    ASSERT_EQ(dup2(other, kept), kept);
    EXPECT_EQ(read(Files::kKept), -EBADF);
    keep_no_longer(path_.c_str());
    EXPECT_GE(fcntl(kept, F_GETFD), 0) << "the program's own";
    close(kept);
  }
  close(other);
}

TEST_F(Kept, LeavesTheLimitAsItWas) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const long length = read(Files::kKeep);
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, 64U);
  EXPECT_EQ(after.rlim_max, before.rlim_max);
  EXPECT_TRUE(length == 3 || length == -EMFILE) << length;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace muster::test
