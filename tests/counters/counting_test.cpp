// Counting without OpenMP: lists of events, what the kernel counts for a thread, and where it is added.
#include "counters/counting.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "waiting/wait_stats.h"

namespace muster {
namespace {

constexpr unsigned kPages = 1000;
constexpr std::size_t kPageSize = 4096;

// By a system call that sanitizers do not see: they would touch pages of their own for it.
void touch(unsigned pages) {
  const std::size_t size = pages * kPageSize;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, size, MADV_NOHUGEPAGE);
  const int zeros = open("/dev/zero", O_RDONLY);
  ASSERT_EQ(syscall(SYS_read, zeros, memory, size), static_cast<long>(size));
  close(zeros);
  munmap(memory, size);
}

std::vector<std::string> names(const char* setting) {
  const auto events = std::make_unique<Events>();
  std::vector<std::string> found;
  if (!parse_events(setting, *events)) return {"refused"};
  for (unsigned i = 0; i < events->count; ++i) found.emplace_back(events->events[i].name);
  return found;
}

using Names = std::vector<std::string>;

TEST(Events, AreSplitAtCommasAndTakenOnce) {
  EXPECT_EQ(names("A"), Names{"A"});
  EXPECT_EQ(names("A,B::C:d=1,A,perf::PAGE-FAULTS"), (Names{"A", "B::C:d=1", "perf::PAGE-FAULTS"}));
  EXPECT_EQ(names("AB,A"), (Names{"AB", "A"})) << "one the beginning of another";
}

TEST(Events, EmptyOverlongAndTooManyAreRefused) {
  const Names refused{"refused"};
  for (const char* bad : {"", ",", "A,", ",A", "A,,B"}) EXPECT_EQ(names(bad), refused) << bad;
  const std::string longest(kMostEventName, 'x');
  EXPECT_EQ(names(longest.c_str()), Names{longest});
  EXPECT_EQ(names((longest + "x").c_str()), refused);
  std::string many = "E0";
  for (unsigned i = 1; i < kMostEvents; ++i) many += ",E" + std::to_string(i);
  EXPECT_EQ(names(many.c_str()).size(), kMostEvents);
  EXPECT_EQ(names((many + ",E").c_str()), refused);
}

TEST(KernelEvents, AreKnownByTheirNames) {
  for (const KernelEventName& event : kKernelEvents) {
    ASSERT_NE(kernel_event(event.name), nullptr) << event.name;
    EXPECT_EQ(kernel_event(event.name)->event, event.event) << event.name;
    const std::string other = std::string("perf::PERF_COUNT_SW_") + event.other;
    ASSERT_NE(kernel_event(other.c_str()), nullptr) << other;
    EXPECT_EQ(kernel_event(other.c_str())->event, event.event) << other;
  }
  EXPECT_NE(kernel_event("PERF::page-faults"), nullptr);
  for (const char* none : {"", "perf::", "PAGE-FAULTS", "perf::PERF_COUNT_SW_", "perf::CYCLES"}) {
    EXPECT_EQ(kernel_event(none), nullptr) << none;
  }
}

TEST(MigrationCounter, IsNotTakenForAnotherFile) {
  MigrationCounter counter;
  const int first = dup(0);
  close(first);
  if (const int error = counter.open(); error != 0) GTEST_SKIP() << "perf_event_open: " << error;
  std::uint64_t value = 0;
  EXPECT_TRUE(counter.read(value));
  // By now its descriptor belongs to the program: a pipe with data in it.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345678", 8), 8);
  ASSERT_EQ(dup2(ends[0], first), first);
  EXPECT_FALSE(counter.read(value));
  counter.close();
  char text[8];
  EXPECT_EQ(read(first, text, sizeof(text)), 8) << "neither read nor closed";
  for (const int file : {first, ends[0], ends[1]}) close(file);
}

class Counting : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(parse_events("perf::PAGE-FAULTS", events_));
    prepare_each(events_);
    ASSERT_EQ(events_.available(), 1U);
  }

  // A wait as Waiter has it.
  void wait(unsigned pages) {
    WaitStats stats;
    stats.meter = counters_.meter();
    stats.wait_begins(/*spins=*/true);
    touch(pages);
    stats.wait_ends();
  }

  std::uint64_t waiting() const { return counters_.waiting(0); }
  std::uint64_t rest() const { return counters_.rest(0); }

  static constexpr unsigned kFew = 600;  // faults of the test itself, and of sanitizers
  Events events_;
  ThreadCounters counters_{events_};
  int region_ = 0;
  int inner_ = 0;
};

TEST_F(Counting, WaitsAndTheRestOfRegions) {
  touch(kPages);  // before
  counters_.region_begins(&region_, /*outermost=*/true);
  touch(2 * kPages);
  wait(4 * kPages);
  touch(2 * kPages);
  wait(4 * kPages);
  counters_.region_ends(&region_);
  touch(kPages);  // after
  EXPECT_GE(waiting(), 8 * kPages);
  EXPECT_LT(waiting(), 8 * kPages + kFew);
  EXPECT_GE(rest(), 4 * kPages);
  EXPECT_LT(rest(), 4 * kPages + kFew);
}

TEST_F(Counting, InnerRegionsBelongToTheOuter) {
  counters_.region_begins(&region_, true);
  counters_.region_begins(&inner_, false);
  touch(kPages);
  counters_.region_ends(&inner_);
  touch(kPages);
  counters_.region_ends(&region_);
  EXPECT_GE(rest(), 2 * kPages);
  EXPECT_LT(rest(), 2 * kPages + kFew);
}

TEST_F(Counting, WaitsBetweenFoldedRegionsAreWaiting) {
  wait(kPages);
  EXPECT_EQ(waiting(), 0U) << "nothing is counted before the first region";
  counters_.region_begins(&region_, true);
  counters_.region_ends(&region_);
  wait(kPages);
  EXPECT_GE(waiting(), kPages);
  EXPECT_LT(rest(), kFew);
}

TEST_F(Counting, ARegionThatNeverEndedIsOver) {
  counters_.region_begins(&region_, true);
  touch(kPages);
  counters_.region_begins(&inner_, true);  // left by longjmp
  touch(2 * kPages);
  counters_.region_ends(&inner_);
  EXPECT_GE(rest(), 2 * kPages);
  EXPECT_LT(rest(), 2 * kPages + kFew);
}

TEST_F(Counting, EndsOfThreadsAndOfTheProcess) {
  counters_.region_begins(&region_, true);
  touch(kPages);
  counters_.now();
  EXPECT_GE(rest(), kPages);
  touch(kPages);
  counters_.thread_ends();
  EXPECT_GE(rest(), 2 * kPages);
  const std::uint64_t before = rest();
  touch(kPages);
  counters_.now();
  counters_.region_ends(&region_);
  EXPECT_EQ(rest(), before) << "no thread is counted";
  counters_.region_begins(&region_, true);  // the next thread
  touch(kPages);
  counters_.region_ends(&region_);
  EXPECT_GE(rest(), before + kPages);
  EXPECT_LT(rest(), before + kPages + kFew);
}

}  // namespace
}  // namespace muster
