// Descriptions of machines: what they contain, and how wrong ones are rejected.
#include "sim/coherence/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/sim/small_machine.h"

namespace muster::coherence::test {
namespace {

const std::filesystem::path kMachines = MUSTER_MACHINES;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// The message for the text of power4-32 after a change.
std::string problem_with(const std::string& from, const std::string& to) {
  std::string text = text_of(kMachines / "power4-32.toml");
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  const auto folder = std::filesystem::path(testing::TempDir()) / "muster-machines";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "changed.toml") << text;
  try {
    load_machine(folder, "changed");
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return "";
}

TEST(Machine, AllThatAreThereCanBeLoaded) {
  const std::vector<std::string> names = machine_names(kMachines);
  EXPECT_EQ(names.size(), 6U);
  for (const std::string& name : names) {
    const Machine machine = load_machine(kMachines, name == "rule-N" ? "rule-100" : name);
    EXPECT_FALSE(machine.title.empty()) << name;
    EXPECT_FALSE(machine.source.empty()) << name;
    EXPECT_GE(machine.levels.back().nodes, machine.nodes()) << name;
    // Farther is not nearer.
    for (std::size_t i = 1; i < machine.levels.size(); ++i)
      EXPECT_GE(machine.levels[i].latency_cycles, machine.levels[i - 1].latency_cycles) << name;
  }
}

TEST(Machine, RuleHasAsManyCoresAsAskedFor) {
  EXPECT_EQ(load_machine(kMachines, "rule-16").cores, 16U);
  EXPECT_EQ(load_machine(kMachines, "rule-1024").cores, 1024U);
  EXPECT_THROW(load_machine(kMachines, "rule-1025"), std::runtime_error);
  EXPECT_THROW(load_machine(kMachines, "rule-"), std::runtime_error);
  EXPECT_THROW(load_machine(kMachines, "rule-4x"), std::runtime_error);
}

TEST(Machine, SaysWhatIsWrong) {
  EXPECT_EQ(problem_with("", ""), "");
  EXPECT_NE(problem_with("clock_ghz", "clock_gzh").find("changed.toml:1: clock_ghz is missing"),
            std::string::npos);
  EXPECT_NE(problem_with("hit_cycles = 12", "hit_cycle = 12").find("[node] hit_cycles is missing"),
            std::string::npos);
  for (const auto& [from, to] : {std::pair{"clock_ghz = 1.1", "clock_ghz = 0.0"},
                                 {"clock_ghz = 1.1", "clock_ghz = nan"},
                                 {"line_bytes = 128", "line_bytes = 100"},
                                 {"load_cycles = 2 ", "load_cycles = -2 "},
                                 {"hop_cycles = 32", "hop_cycles = 32000000"},
                                 {"stores_in_flight = 12", "stores_in_flight = 0"},
                                 {"load_cycles = 2 ", "load_cycles = \"two\" "}}) {
    const std::string text = text_of(kMachines / "power4-32.toml");
    const auto line = 1 + std::ranges::count(text.substr(0, text.find(from)), '\n');
    const std::string said = problem_with(from, to);
    const std::string key(from, std::string_view(from).find(' '));
    EXPECT_NE(said.find("changed.toml:" + std::to_string(line) + ": "), std::string::npos) << said;
    EXPECT_NE(said.find(key + " must be"), std::string::npos) << said;
  }
  EXPECT_NE(problem_with("poll_cycles = 3", "poll_cycles = 3\nx = 1").find("unknown key x"),
            std::string::npos);
  EXPECT_NE(problem_with("\"snooping\"", "\"gossip\"").find("cannot be \"gossip\""),
            std::string::npos);
  EXPECT_NE(problem_with("cores = 32", "cores = 0").find("must be a whole number from 1 to"),
            std::string::npos);
  EXPECT_NE(problem_with("nodes = 16", "nodes = 15").find("cannot be made of"), std::string::npos);
  EXPECT_NE(problem_with("nodes = 16", "nodes = 8").find("the last [[level]] has 8 nodes"),
            std::string::npos);
  EXPECT_NE(problem_with("[core]", "[core").find("changed.toml:"), std::string::npos);
  try {
    load_machine(kMachines, "power5");
    ADD_FAILURE();
  } catch (const std::exception& problem) {
    EXPECT_NE(std::string(problem.what()).find("power4-32"), std::string::npos) << problem.what();
  }
}

TEST(Machine, DistancesFollowTheLevels) {
  const Machine machine = small_machine();
  EXPECT_EQ(machine.latency(0, 3), kNear);
  EXPECT_EQ(machine.latency(0, 4), kFar);
  EXPECT_EQ(machine.latency(5, 6), kNear);
  EXPECT_EQ(machine.snoop_cycles(0), kFar);
}

TEST(Machine, ARingHasOneDirection) {
  Machine machine = small_machine();
  machine.levels = {{.name = "module", .nodes = 2, .latency_cycles = kNear},
                    {.name = "ring", .nodes = kCores, .latency_cycles = kFar, .hop_cycles = 10}};
  EXPECT_EQ(machine.latency(2, 0), kFar);       // the next module
  EXPECT_EQ(machine.latency(0, 2), kFar + 20);  // all the way round
  EXPECT_EQ(machine.latency(4, 0), kFar + 10);
  EXPECT_EQ(machine.latency(0, 1), kNear);
}

}  // namespace
}  // namespace muster::coherence::test
