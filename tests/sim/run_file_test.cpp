// The reader of every simulator's files (sim/run_file.h).
#include "sim/run_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <stdexcept>

namespace muster::sim {
namespace {

constexpr const char* kText =
    "processors = 4\nshare = 0.5\n[wait]\nkind = 'cs'\n[[job]]\nsize = 2\n[[job]]\nsize = 3\n";

std::filesystem::path file() {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "muster_run_file_test.toml";
  std::ofstream(path) << kText;
  return path;
}

std::string problem(const std::vector<std::string>& settings,
                    const std::function<void(RunTable&)>& read) {
  try {
    const RunFile run(file(), settings);
    RunTable root = run.root();
    read(root);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(RunFile, SettingsReplaceWhatTheFileSays) {
  const RunFile run(file(), {"processors=8", "wait.kind=2cs+", "job.1.size=7", "new.key=1.5"});
  RunTable root = run.root();
  EXPECT_EQ(root.integer("processors", 1, 10), 8);
  EXPECT_EQ(root.table("wait").get<std::string>("kind"), "2cs+");
  std::vector<RunTable> jobs = root.tables("job");
  ASSERT_EQ(jobs.size(), 2);
  EXPECT_EQ(jobs[0].integer("size", 1, 9), 2);
  EXPECT_EQ(jobs[1].integer("size", 1, 9), 7);
  EXPECT_EQ(root.table("new").real("key", 0, 2), 1.5);
}

// `--set wait.policy=12` means a policy named "12"; what has quotes is what is between them.
TEST(RunFile, SetNumbersMayBeWords) {
  for (const auto* const value :
       {"12", "1_000", "-3", "1.50", "1e3", "inf", "true", "1979-05-27"}) {
    const RunFile run(file(), {std::string("wait.kind=") + value, "processors=9"});
    RunTable root = run.root();
    EXPECT_EQ(root.table("wait").get<std::string>("kind"), value);
    EXPECT_EQ(root.integer("processors", 1, 10), 9);
  }
  const RunFile run(file(), {"wait.kind='12'"});
  EXPECT_EQ(run.root().table("wait").get<std::string>("kind"), "12");
  EXPECT_EQ(RunFile(file(), {"wait.kind=a=12"}).root().table("wait").get<std::string>("kind"),
            "a=12");
  const auto kind = [](RunTable& root) {
    root.table("wait").choice<int>("kind", {{"a", 1}, {"12", 2}});
  };
  EXPECT_EQ(problem({"wait.kind=12"}, kind), "");
  EXPECT_EQ(problem({"wait.kind=13"}, kind),
            "--set wait.kind=13: [wait] kind cannot be \"13\"; allowed: a, 12");
  EXPECT_EQ(problem({"wait.kind=[12]"}, kind),
            "--set wait.kind=[12]: [wait] kind is of the wrong kind");
  // In a file there are quotes to say it with.
  const auto processors = [](RunTable& root) { root.get<std::string>("processors"); };
  EXPECT_EQ(problem({}, processors), file().string() + ":1: processors is of the wrong kind");
}

TEST(RunFile, SaysFileLineKeyAndWhatIsAllowed) {
  const auto processors = [](RunTable& root) { root.integer("processors", 5, 6); };
  EXPECT_EQ(problem({}, processors),
            file().string() + ":1: processors must be a whole number from 5 to 6");
  EXPECT_EQ(problem({"processors=0"}, processors),
            "--set processors=0: processors must be a whole number from 5 to 6");
  EXPECT_EQ(problem({"processors=5.5"}, processors),
            "--set processors=5.5: processors must be a whole number from 5 to 6");
  EXPECT_EQ(problem({}, [](RunTable& root) { root.table("wait").real("kind", 0, 1); }),
            file().string() + ":4: [wait] kind must be a number from 0 to 1");
  EXPECT_EQ(problem({}, [](RunTable& root) { root.table("wait").get<bool>("long"); }),
            file().string() + ":3: [wait] long is missing");
  EXPECT_EQ(
      problem({},
              [](RunTable& root) { root.table("wait").choice<int>("kind", {{"a", 1}, {"b", 2}}); }),
      file().string() + ":4: [wait] kind cannot be \"cs\"; allowed: a, b");
}

TEST(RunFile, NoKeyIsPassedOver) {
  EXPECT_EQ(problem({},
                    [](RunTable& root) {
                      root.integer("processors", 1, 9);
                      root.tables("job");
                      root.table("wait");
                      root.end();
                    }),
            file().string() + ":2: unknown key share; known here: job, processors, wait");
}

TEST(RunFile, SettingsMustHaveAPlace) {
  const auto nothing = [](RunTable&) {};
  EXPECT_EQ(problem({"processors"}, nothing), "--set processors: must be key=value");
  EXPECT_NE(problem({"job.2.size=1"}, nothing).find("there is no 2 in"), std::string::npos);
  EXPECT_NE(problem({"a.b.c=1"}, nothing).find("there is no a in"), std::string::npos);
  EXPECT_NE(problem({"processors.x=1"}, nothing).find("x is in no table"), std::string::npos);
}

TEST(RunFile, NoFile) {
  EXPECT_THROW(RunFile("/no/such/file.toml"), std::runtime_error);
  EXPECT_THROW(RunFile("/"), std::runtime_error);
}

}  // namespace
}  // namespace muster::sim
