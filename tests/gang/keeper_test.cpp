// What a keeper tells at its end.
#include "gang/keeper.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "gang/processes.h"

namespace gang {
namespace {

// A program that stops its keeper, uses CPU time and ends. So its end, and what is sent to the keeper meanwhile, reach
// the keeper at once when it continues.
constexpr char kStopsItsKeeper[] =
    "kill -STOP $PPID; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";

TEST(Keeper, TellsItsEndAlsoWhereItHasNotReadAllRequests) {
  Start start;
  start.plain = sched_getscheduler(0);
  sigprocmask(SIG_BLOCK, nullptr, &start.signals);
  Keeper keeper({{"sh", "-c", kStopsItsKeeper}, "/bin/sh"}, start, {});
  keeper.start();
  siginfo_t stopped;
  const auto id = static_cast<id_t>(keeper.process());
  ASSERT_EQ(waitid(P_PID, id, &stopped, WSTOPPED), 0);
  const auto program_ended = [&] { return descendants(keeper.process()).empty(); };
  for (int i = 0; i < 60'000 && !program_ended(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(program_ended());
  keeper.finish();
  kill(keeper.process(), SIGCONT);
  siginfo_t ended;  // the error of a closed socket comes before what is left in it
  ASSERT_EQ(waitid(P_PID, id, &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(keeper.next_event().kind, KeeperEvent::kMainEnded);
  const KeeperEvent last = keeper.next_event();
  EXPECT_EQ(last.kind, KeeperEvent::kAllEnded);
  EXPECT_GT(last.cpu_seconds, 0);
  EXPECT_EQ(keeper.next_event().kind, KeeperEvent::kLost) << "nothing more";
}

}  // namespace
}  // namespace gang
