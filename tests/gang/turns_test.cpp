// The order of turns, and the processes of a gang.
#include "gang/turns.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "gang/processes.h"

namespace gang {
namespace {

using namespace std::chrono_literals;

const auto kEverybodyCan = [](std::size_t) { return true; };
const Clock::time_point kStart{};

TEST(Turns, AreInRoundRobinOrder) {
  Turns turns(10ms, {1, 1, 1});
  EXPECT_TRUE(turns.over(kStart));
  for (const std::size_t expected : {0u, 1u, 2u, 0u}) {
    EXPECT_EQ(turns.next(kStart, kEverybodyCan), expected);
  }
}

TEST(Turns, LastAsLongAsTheWeightSays) {
  Turns turns(10ms, {1, 2.5});
  turns.next(kStart, kEverybodyCan);
  EXPECT_FALSE(turns.over(kStart + 9ms));
  EXPECT_TRUE(turns.over(kStart + 10ms));
  turns.next(kStart + 10ms, kEverybodyCan);
  EXPECT_EQ(turns.ends(), kStart + 35ms);
  turns.stop(kStart + 35ms);
  EXPECT_DOUBLE_EQ(turns.time_of(0).count(), 0.010);
  EXPECT_DOUBLE_EQ(turns.time_of(1).count(), 0.025);
  EXPECT_EQ(turns.turns_of(1), 1u);
}

TEST(Turns, AreNotGivenToAGangThatCannotRun) {
  Turns turns(10ms, {1, 1, 1});
  turns.next(kStart, kEverybodyCan);
  EXPECT_EQ(turns.next(kStart, [](std::size_t i) { return i != 1; }), 2u);
  EXPECT_EQ(turns.next(kStart, [](std::size_t i) { return i == 2; }), 2u);
  EXPECT_FALSE(turns.next(kStart, [](std::size_t) { return false; }).has_value());
  EXPECT_TRUE(turns.over(kStart));
  EXPECT_EQ(turns.next(kStart, kEverybodyCan), 0u) << "the one after the last";
}

TEST(Turns, OfAGangThatEndedGoToTheOthersAtOnce) {
  Turns turns(10ms, {1, 1});
  turns.next(kStart, kEverybodyCan);
  turns.end_gang(0, kStart + 3ms);
  EXPECT_TRUE(turns.over(kStart + 3ms));
  EXPECT_EQ(turns.alive(), 1u);
  EXPECT_EQ(turns.next(kStart + 3ms, kEverybodyCan), 1u);
  EXPECT_EQ(turns.next(kStart + 13ms, kEverybodyCan), 1u);
  EXPECT_DOUBLE_EQ(turns.time_of(0).count(), 0.003);
}

std::vector<pid_t> ids(const std::vector<Process>& processes) {
  std::vector<pid_t> found;
  for (const Process& process : processes) found.push_back(process.id);
  std::sort(found.begin(), found.end());
  return found;
}

// A child of a thread other than the first one, with a child of its own.
TEST(Processes, AreFoundByBothWays) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = -1;
  std::thread([&] {
    child = fork();
    if (child == 0) {
      const pid_t grandchild = fork();
      if (grandchild != 0 && write(ready[1], &grandchild, sizeof grandchild) < 0) _exit(1);
      for (;;) pause();
    }
  }).join();
  pid_t grandchild = -1;
  ASSERT_EQ(read(ready[0], &grandchild, sizeof grandchild), ssize_t{sizeof grandchild});
  std::vector<pid_t> expected = {child, grandchild};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(ids(descendants_by_children(getpid())), expected);
  EXPECT_EQ(ids(descendants_by_scan(getpid())), expected);
  EXPECT_EQ(ids(descendants(child)), std::vector<pid_t>{grandchild});

  kill(grandchild, SIGSTOP);
  const auto stopped = [&] { return descendants(child).at(0).stopped(); };
  for (int i = 0; i < 60'000 && !stopped(); ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(stopped());

  kill(grandchild, SIGKILL);
  kill(child, SIGKILL);
  siginfo_t dead;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &dead, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(descendants(getpid()).empty()) << "zombies do not count";
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace gang
