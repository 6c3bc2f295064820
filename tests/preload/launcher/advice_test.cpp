// The rules of "what to do": each alone, what outweighs what, and what is too small to be mentioned.
#include "preload/launcher/advice.h"

#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

constexpr double kMs = 1e6;

// Four threads on four CPUs for one second, nobody waited.
json made() {
  return {{"inactive_reason", nullptr},
          {"elapsed_ns", 1000 * kMs},
          {"largest_team", 4},
          {"barriers", {{"replaced", 1000}, {"passed_through", 0}, {"by_reason", json::array()}}},
          {"load", {{"allowed_cpus", 4}, {"quota_millicpus", nullptr}}},
          {"waiting", {{"waited_ns", 0}}},
          {"efficiency", nullptr},
          {"call_sites", {{"recorded", true}, {"sites", json::array()}}}};
}

void add_site(json& report, const char* cause, double gain_ms) {
  json site = {{"object", "/opt/app"}, {"offset", "0x10"}, {"count", 50}};
  for (const char* each : {"imbalance", "preempted", "throttled", "stolen", "waking"})
    site[std::string("gain_") + each + "_ns"] = 0;
  site[std::string("gain_") + cause + "_ns"] = gain_ms * kMs;
  report["call_sites"]["sites"].push_back(site);
}

std::string only(const json& report) {
  const std::vector<std::string> sentences = advice(report);
  EXPECT_EQ(sentences.size(), 1U);
  return sentences.front();
}

TEST(Advice, NothingToDo) {
  json report = made();
  report["waiting"]["waited_ns"] = 40 * kMs;
  add_site(report, "imbalance", 29);
  EXPECT_EQ(only(report),
            "Nothing: threads waited 1.0 % of their time, and no rule finds more than 3 % of the "
            "elapsed time to gain.");
}

TEST(Advice, Inactive) {
  json report = made();
  report["inactive_reason"] = "OMPT tool";
  add_site(report, "imbalance", 500);
  EXPECT_EQ(only(report),
            "Muster replaced no barrier (\"OMPT tool\"): `muster doctor` tells what to do.");
}

TEST(Advice, PassedThrough) {
  json report = made();
  report["barriers"] = {{"replaced", 90}, {"passed_through", 9}, {"by_reason", json::array()}};
  EXPECT_EQ(only(report).rfind("Nothing", 0), 0U);
  report["barriers"] = {
      {"replaced", 50},
      {"passed_through", 150},
      {"by_reason", {{{"reason", "few"}, {"count", 20}}, {{"reason", "many"}, {"count", 130}}}}};
  EXPECT_EQ(only(report),
            "75 % of the arrivals took the runtime's own barrier, most of them because of "
            "\"many\": `muster doctor` tells more.");
}

TEST(Advice, Imbalance) {
  json report = made();
  add_site(report, "imbalance", 40);
  add_site(report, "imbalance", 250);
  report["call_sites"]["sites"][1]["frames"] = {
      {{"function", "relax"}, {"file", "/src/solver.c"}, {"line", 12}}};
  EXPECT_EQ(only(report),
            "Give each thread the same work before relax at solver.c:12, which could gain 250.00 "
            "ms (25 %) of the elapsed time: for instance by schedule(dynamic) or smaller chunks.");
}

TEST(Advice, Preempted) {
  json report = made();
  add_site(report, "preempted", 100);
  add_site(report, "preempted", 100);
  EXPECT_EQ(only(report),
            "Others ran on the program's CPUs, which cost about 200.00 ms (20 %) of the elapsed "
            "time: use fewer than 4 threads, or CPUs that nobody else uses.");
  report["load"]["allowed_cpus"] = 2;  // the threads themselves are the others
  EXPECT_EQ(only(report),
            "There were 4 threads for 2 CPUs: set OMP_NUM_THREADS=2, or allow the program more "
            "CPUs.");
}

TEST(Advice, TooManyThreadsWithoutSites) {
  json report = made();
  report["load"]["allowed_cpus"] = 1;
  report["call_sites"]["recorded"] = false;
  report["waiting"]["waited_ns"] = 2000 * kMs;
  const std::vector<std::string> found = advice(report);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rfind("There were 4 threads for 1 CPU: set OMP_NUM_THREADS=1,", 0), 0U);
  EXPECT_EQ(found[1],
            "Threads waited 50 % of their time: `muster run --sites` shows where and why.");
}

TEST(Advice, Throttled) {
  json report = made();
  add_site(report, "throttled", 300);
  report["load"]["quota_millicpus"] = 2500;
  EXPECT_EQ(only(report),
            "The quota of 2.5 CPUs stopped threads, which cost about 300.00 ms (30 %) of the "
            "elapsed time: set OMP_NUM_THREADS=2, or raise the quota.");
}

TEST(Advice, Stolen) {
  json report = made();
  add_site(report, "stolen", 300);
  EXPECT_NE(only(report).find("host of the virtual machine took CPU time"), std::string::npos);
}

TEST(Advice, Waking) {
  json report = made();
  add_site(report, "waking", 90);
  EXPECT_EQ(only(report),
            "Waiting itself cost about 90.00 ms (9 %) of the elapsed time at app+0x10, where "
            "threads met 50 times: use fewer barriers or regions there.");
}

// Half of the second is serial: three of four threads are idle for it, which parallel work would use.
TEST(Advice, SerialParts) {
  json report = made();
  const double useful = 2500;
  const double idle = 1500;
  report["efficiency"] = {{"usefulTime", useful * kMs},
                          {"ompSerializationEfficiency", useful / (useful + idle)}};
  EXPECT_EQ(only(report),
            "Parts that one thread runs alone cost about 375.00 ms (38 %) of the elapsed time: "
            "make more of them parallel.");
}

TEST(Advice, AtMostThreeAndTheLargestFirst) {
  json report = made();
  add_site(report, "imbalance", 100);
  add_site(report, "waking", 300);
  add_site(report, "preempted", 200);
  add_site(report, "stolen", 50);
  const std::vector<std::string> found = advice(report);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NE(found[0].find("300.00 ms"), std::string::npos);
  EXPECT_NE(found[1].find("200.00 ms"), std::string::npos);
  EXPECT_NE(found[2].find("100.00 ms"), std::string::npos);
}

}  // namespace
}  // namespace muster::launcher
