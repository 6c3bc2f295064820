// The number of threads of `muster run --threads auto`: the rule over a table, and its facts from trees of files.
#include "preload/launcher/thread_number.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "preload/launcher/thread_facts.h"
#include "preload/launcher/thread_flag.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr ThreadFacts::Limit kNoLimit{};

TEST(ThreadNumber, IsTheLeastOfWhatIsAllowed) {
  struct Case {
    ThreadFacts facts;
    unsigned threads;
    const char* reason;
  };
  const Case cases[] = {
      {{.allowed_cpus = 1}, 1, "1 CPU allowed"},
      {{.allowed_cpus = 16}, 16, "16 CPUs allowed"},
      {{.allowed_cpus = 0}, 1, "1 CPU allowed"},
      {{.allowed_cpus = 16, .quota_millicpus = 2000}, 2, "a quota of 2.00 CPUs (16 CPUs allowed)"},
      {{.allowed_cpus = 2, .quota_millicpus = 2000}, 2, "2 CPUs allowed (a quota of 2.00 CPUs)"},
      {{.allowed_cpus = 2, .quota_millicpus = 16'000}, 2, "2 CPUs allowed (a quota of 16.00 CPUs)"},
      {{.allowed_cpus = 16, .quota_known = false}, 16, "16 CPUs allowed (some cgroups unknown)"},
      {{.allowed_cpus = 16, .quota_millicpus = 4000, .quota_known = false},
       4,
       "a quota of 4.00 CPUs (16 CPUs allowed, some cgroups unknown)"},
      {{.allowed_cpus = 16, .busy_cpus = 3},
       13,
       "3 CPUs busy with other processes (16 CPUs allowed)"},
      {{.allowed_cpus = 16, .busy_cpus = 3, .quota_millicpus = 8000},
       8,
       "a quota of 8.00 CPUs (16 CPUs allowed, 3 CPUs busy with other processes)"},
      {{.allowed_cpus = 16, .user = {4, "OMP_THREAD_LIMIT"}},
       4,
       "OMP_THREAD_LIMIT=4 (16 CPUs allowed)"},
      {{.allowed_cpus = 2, .user = {4, "OMP_NUM_THREADS"}},
       2,
       "2 CPUs allowed (OMP_NUM_THREADS=4)"},
  };
  for (const Case& one : cases) {
    const ThreadNumber number = number_of_threads(one.facts);
    EXPECT_EQ(number.threads, one.threads) << one.reason;
    EXPECT_EQ(number.reason, one.reason);
  }
}

TEST(ThreadNumber, RoundsAQuotaUpUnlessThatGainsLittle) {
  for (const auto& [millicpus, threads] : {std::pair{1U, 1U},
                                           {999U, 1U},
                                           {1000U, 1U},
                                           {1111U, 1U},
                                           {1112U, 2U},
                                           {1500U, 2U},
                                           {2000U, 2U},
                                           {2200U, 2U},
                                           {2250U, 3U},
                                           {7650U, 7U},
                                           {9500U, 9U},
                                           {0xFFFF'FFFFU, 4'294'967U}}) {
    const ThreadFacts facts{.allowed_cpus = 5'000'000, .quota_millicpus = millicpus};
    EXPECT_EQ(number_of_threads(facts).threads, threads) << millicpus;
  }
}

// A CPU that others use is left to them while the team keeps more than half of the CPUs.
TEST(ThreadNumber, LeavesBusyCpusIfThatGains) {
  struct Case {
    unsigned allowed, busy, threads;
  };
  for (const auto& [allowed, busy, threads] : {Case{2, 1, 2},
                                               {2, 2, 2},
                                               {3, 1, 2},
                                               {4, 1, 3},
                                               {4, 2, 4},
                                               {4, 4, 4},
                                               {5, 2, 3},
                                               {5, 3, 5},
                                               {64, 31, 33},
                                               {64, 32, 64},
                                               {4, 9, 4},
                                               {1, 1, 1}}) {
    const ThreadFacts facts{.allowed_cpus = allowed, .busy_cpus = busy};
    EXPECT_EQ(number_of_threads(facts).threads, threads) << allowed << " " << busy;
  }
}

class Facts : public testing::Test {
 protected:
  Facts() {
    write("proc/loadavg", "0 0 0 1/99 7\n");
    group("/job", "/");
    used({0, 0, 0, 0});
    cpus = 4;
  }
  ~Facts() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  // Of the process, in version 2, of which a mount at /cg shows the part below `shown`.
  void group(const std::string& name, const std::string& shown) {
    write("proc/self/cgroup", "0::" + name + "\n");
    write("proc/self/mountinfo", "31 23 0:28 " + shown + " /cg rw - cgroup2 cgroup rw\n");
    fs::create_directories((root_ / "cg").string() + (shown == "/" ? name : ""));
  }
  // How many steps of 10 ms each CPU was used so far.
  void used(const std::vector<unsigned>& steps) {
    std::string text = "cpu  0 0 0 0 0 0 0 0\n";
    for (std::size_t cpu = 0; cpu < steps.size(); ++cpu) {
      text += "cpu" + std::to_string(cpu) + " " + std::to_string(steps[cpu]) + " 1 1 7 9 9 9 9\n";
    }
    write("proc/stat", text + "intr 7\n");
  }
  FactSources sources() {
    const std::string* const kept = &(name_ = root_.string());
    return {.load = {.root = kept->c_str(),
                     .allowed_cpus = [] { return cpus; },
                     .read_affinity =
                         [](AffinityMask& mask) {
                           mask.clear_all();
                           for (unsigned cpu = 0; cpu < cpus; ++cpu) mask.set(cpu);
                           return true;
                         }},
            .variable = [this](const char* name) -> const char* {
              const auto found = variables_.find(name);
              return found == variables_.end() ? nullptr : found->second.c_str();
            },
            .sleep =
                [this](auto) {
                  slept_();
                  return passed_;
                }};
  }
  ThreadFacts read() { return read_thread_facts(sources()); }

  static inline unsigned cpus = 4;
  const fs::path root_ =
      fs::path(testing::TempDir()) / ("muster-facts-" + std::to_string(getpid()));
  std::string name_;
  std::map<std::string, std::string> variables_;
  std::chrono::milliseconds passed_{100};
  std::function<void()> slept_ = [] { FAIL() << "nobody else wants a CPU"; };
};

TEST_F(Facts, OfAMachineWithoutLimits) {
  const ThreadFacts facts = read();
  EXPECT_EQ(facts.allowed_cpus, 4U);
  EXPECT_EQ(facts.quota_millicpus, 0U);
  EXPECT_TRUE(facts.quota_known);
  EXPECT_EQ(facts.busy_cpus, 0U);
  EXPECT_EQ(facts.user.threads, kNoLimit.threads);
}

// The kernel enforces the parent's limit, too.
TEST_F(Facts, TheTightestQuotaOfAllGroups) {
  group("/pod/container/app", "/");
  write("cg/pod/cpu.max", "150000 100000\n");
  write("cg/pod/container/cpu.max", "max 100000\n");
  write("cg/pod/container/app/cpu.max", "800000 100000\n");
  EXPECT_EQ(read().quota_millicpus, 1500U);
  fs::remove(root_ / "cg/pod/container/cpu.max");
  EXPECT_EQ(read().quota_millicpus, 1500U) << "a group without the controller";
}

TEST_F(Facts, DeniedCgroupsAreNotNoQuota) {
  fs::remove_all(root_ / "proc/self");
  EXPECT_FALSE(read().quota_known);
  group("/job", "/");
  fs::create_directories(root_ / "cg/job/cpu.max");  // it can be opened, not read
  EXPECT_FALSE(read().quota_known);
}

// The mount was made outside of the process's cgroup namespace, so the names of the groups between are not known.
TEST_F(Facts, GroupsThatANamespaceHidesAreSearched) {
  group("/app", "/../..");
  write("cg/pod/other/app/cgroup.procs", "1\n2\n");
  write("cg/pod/own/app/cgroup.procs", "1\n" + std::to_string(getpid()) + "\n");
  write("cg/pod/other/cpu.max", "10000 100000\n");
  write("cg/pod/own/cpu.max", "150000 100000\n");
  ThreadFacts facts = read();
  EXPECT_EQ(facts.quota_millicpus, 1500U);
  EXPECT_TRUE(facts.quota_known);
  write("cg/pod/own/app/cgroup.procs", "1\n");
  facts = read();
  EXPECT_EQ(facts.quota_millicpus, 0U);
  EXPECT_FALSE(facts.quota_known);
}

TEST_F(Facts, TheLoadIsLookedAtOnlyIfItCanMatter) {
  write("proc/loadavg", "0 0 0 9/99 7\n");
  cpus = 2;
  EXPECT_EQ(read().busy_cpus, 0U);
}

TEST_F(Facts, ACpuIsBusyIfItIsUsedNearlyAlways) {
  write("proc/loadavg", "0 0 0 9/99 7\n");
  const auto busy = [this](const std::vector<unsigned>& steps) {
    used({0, 0, 0, 0, 0});
    slept_ = [this, &steps] { used(steps); };
    return read().busy_cpus;
  };
  EXPECT_EQ(busy({0, 0, 0, 0, 0}), 0U);
  EXPECT_EQ(busy({10, 8, 7, 2, 10}), 2U) << "the last one is not allowed";
  passed_ *= 2;
  EXPECT_EQ(busy({20, 8, 7, 2, 10}), 1U) << "the look took longer than planned";
  write("proc/loadavg", "0 0 0 2/99 7\n");
  EXPECT_EQ(busy({20, 20, 20, 20, 20}), 1U) << "one other thread is runnable";
}

TEST_F(Facts, WithoutLoadFilesNothingIsBusy) {
  write("proc/loadavg", "0 0 0 9/99 7\n");
  fs::remove(root_ / "proc/stat");
  slept_ = [] {};
  EXPECT_EQ(read().busy_cpus, 0U);
}

TEST_F(Facts, TheUsersLimitIsTheLeastOfTwo) {
  const auto limit = [this](const char* threads, const char* at_most) {
    variables_ = {{"OMP_NUM_THREADS", threads}, {"OMP_THREAD_LIMIT", at_most}};
    const ThreadFacts::Limit user = read().user;
    return std::string(user.variable) + "=" + std::to_string(user.threads);
  };
  EXPECT_EQ(limit("4,2", ""), "OMP_NUM_THREADS=4");
  EXPECT_EQ(limit(" 8", "3"), "OMP_THREAD_LIMIT=3");
  EXPECT_EQ(limit("many", "0"), "=0") << "bad values are the runtime's to report";
  EXPECT_EQ(limit("99999999999", ""), "OMP_NUM_THREADS=2147483647");
}

class Flag : public Facts {
 protected:
  // What is printed, and the variables.
  std::string set(const char* value) {
    CLI::App app;
    ThreadFlag flag;
    flag.add_to(app);
    app.parse(std::string("--threads=") + value);
    EXPECT_EQ(flag.problem(), "");
    Variables variables;
    std::string text = flag.set(variables, sources());
    for (const auto& [name, number] : variables) text += "\n" + name + "=" + number;
    return text;
  }
};

TEST_F(Flag, SetsWhatTheUserHasNotSet) {
  EXPECT_EQ(set("auto"),
            "4 threads: 4 CPUs allowed; sets OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS "
            "BLIS_NUM_THREADS NUMEXPR_NUM_THREADS\nOMP_NUM_THREADS=4\nOPENBLAS_NUM_THREADS=4\n"
            "MKL_NUM_THREADS=4\nBLIS_NUM_THREADS=4\nNUMEXPR_NUM_THREADS=4");
  variables_ = {{"OMP_NUM_THREADS", "2,2"}, {"MKL_NUM_THREADS", "1"}, {"BLIS_NUM_THREADS", ""}};
  EXPECT_EQ(set("auto"),
            "2 threads: OMP_NUM_THREADS=2 (4 CPUs allowed); sets OPENBLAS_NUM_THREADS "
            "BLIS_NUM_THREADS NUMEXPR_NUM_THREADS; keeps OMP_NUM_THREADS=2,2 MKL_NUM_THREADS=1\n"
            "OPENBLAS_NUM_THREADS=2\nBLIS_NUM_THREADS=2\nNUMEXPR_NUM_THREADS=2");
}

TEST_F(Flag, ANumberReplacesOmpNumThreadsOnly) {
  variables_ = {{"OMP_NUM_THREADS", "2"}, {"OPENBLAS_NUM_THREADS", "1"}};
  EXPECT_EQ(set("3"),
            "3 threads: --threads 3; sets OMP_NUM_THREADS MKL_NUM_THREADS BLIS_NUM_THREADS "
            "NUMEXPR_NUM_THREADS; keeps OPENBLAS_NUM_THREADS=1\nOMP_NUM_THREADS=3\n"
            "MKL_NUM_THREADS=3\nBLIS_NUM_THREADS=3\nNUMEXPR_NUM_THREADS=3");
}

}  // namespace
}  // namespace muster::launcher
