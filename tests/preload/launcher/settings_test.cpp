// Reading the settings from an environment, and the messages about mistakes.
#include "options/settings.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "options/nearest.h"

namespace muster {
namespace {

using Lines = std::vector<std::string>;

Lines g_lines;

__attribute__((format(printf, 1, 2))) void note(const char* format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof(line), format, values);
  va_end(values);
  g_lines.emplace_back(line);
}

const Lines& read(const Lines& environment, Complain complain = note) {
  std::vector<const char*> pointers;
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  g_lines.clear();
  read_settings(pointers.data(), complain);
  return g_lines;
}

std::string text_of(Setting setting) { return text_in_force(option_of(setting)); }

TEST(ReadSettings, NothingSet) {
  EXPECT_EQ(read({"PATH=/bin", "MUSTERED=1", "OMP_NUM_THREADS=2"}), Lines{});
  EXPECT_EQ(settings().slice_ns, Settings{}.slice_ns);
  for (const Option& option : kOptions) EXPECT_STREQ(text_in_force(option), option.fallback);
  read_settings(nullptr, note);
  EXPECT_EQ(g_lines, Lines{});
}

TEST(ReadSettings, TimesAreInNanoseconds) {
  EXPECT_EQ(read({"MUSTER_WAIT=50us", "MUSTER_SLICE=300us"}), Lines{});
  EXPECT_EQ(settings().wait.kind, WaitKind::kMicroseconds);
  EXPECT_EQ(settings().wait.fixed_ns, 50'000U);
  EXPECT_EQ(settings().slice_ns, 300'000U);
  EXPECT_EQ(text_of(Setting::wait), "50us");
}

TEST(ReadSettings, WhetherTheUserWantsPassiveWaits) {
  for (const char* entry : {"OMP_WAIT_POLICY=passive", "OMP_WAIT_POLICY= PASSIVE ",
                            "KMP_BLOCKTIME=0", "GOMP_SPINCOUNT=0"}) {
    EXPECT_EQ(read({entry}), Lines{});
    EXPECT_TRUE(settings().passive) << entry;
  }
  for (const char* entry : {"OMP_WAIT_POLICY=active", "OMP_WAIT_POLICY=", "KMP_BLOCKTIME=01",
                            "GOMP_SPINCOUNT=infinity", "OMP_NUM_THREADS=0"}) {
    read({entry});
    EXPECT_FALSE(settings().passive) << entry;
  }
}

TEST(ReadSettings, TextsAreCopied) {
  std::string entry = "MUSTER_REPORT=a.json";
  const char* environment[] = {entry.c_str(), nullptr};
  read_settings(environment, note);
  entry.back() = 'X';
  EXPECT_STREQ(settings().report, "a.json");
  EXPECT_EQ(text_of(Setting::report), "a.json");
}

TEST(ReadSettings, ABadValueIsNamedWithWhatIsUsedInstead) {
  for (const Option& option : kOptions) {
    const Lines lines = read({std::string(option.variable) + "="});
    ASSERT_EQ(lines.size(), 1U) << option.variable;
    const std::string instead = *option.fallback != '\0' ? option.fallback : "none";
    EXPECT_EQ(lines[0].find(std::string(option.variable) + ": bad value ''"), 0U) << lines[0];
    EXPECT_NE(lines[0].find("; using " + instead), std::string::npos) << lines[0];
    EXPECT_STREQ(text_in_force(option), option.fallback);
  }
  EXPECT_EQ(read({"MUSTER_SLICE=5us"}), Lines{"MUSTER_SLICE: bad value '5us' (may be "
                                              "auto|off|<n>us, n from 100 to 100000); using off"});
}

TEST(ReadSettings, AnUnknownVariableIsNamedWithTheNearestName) {
  const std::string what = ": not an option of Muster; the nearest name is ";
  EXPECT_EQ(read({"MUSTER_BARIER=tree"}), Lines{"MUSTER_BARIER" + what + "MUSTER_BARRIER"});
  EXPECT_EQ(
      read({"MUSTER_WIAT=spin", "MUSTER_FORK_JOIN=on"}),
      (Lines{"MUSTER_WIAT" + what + "MUSTER_WAIT", "MUSTER_FORK_JOIN" + what + "MUSTER_FORKJOIN"}));
  EXPECT_EQ(read({"MUSTER_=1"}).size(), 1U);
  EXPECT_EQ(read({"MUSTER_REPORTS"}).size(), 1U) << "an entry without a value";
  const Lines lines = read({"MUSTER_" + std::string(10'000, 'x') + "=1"});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LT(lines[0].size(), 200U);
}

TEST(ReadSettings, NoLineWhereNoneIsWanted) {
  EXPECT_EQ(read({"MUSTER_RUN_PID=12"}), Lines{}) << "set by `muster run`";
  EXPECT_EQ(read({"MUSTER_WIAT=1", "MUSTER_WAIT=bad"}, nullptr), Lines{});
  EXPECT_EQ(read({"MUSTER=off", "MUSTER_WIAT=1", "MUSTER_WAIT=bad"}), Lines{});
  EXPECT_EQ(read({"MUSTER_WIAT=1", "MUSTER_WAIT=bad", "MUSTER=off"}), Lines{});
  EXPECT_FALSE(settings().on);
}

unsigned distance(const char* left, const char* right) {
  return edit_distance(left, std::strlen(left), right, std::strlen(right));
}

TEST(EditDistance, CountsTheLeastChanges) {
  EXPECT_EQ(distance("", ""), 0U);
  EXPECT_EQ(distance("", "abc"), 3U);
  EXPECT_EQ(distance("abc", ""), 3U);
  EXPECT_EQ(distance("abc", "abc"), 0U);
  EXPECT_EQ(distance("abc", "axc"), 1U);
  EXPECT_EQ(distance("abc", "acb"), 1U) << "two that are swapped";
  EXPECT_EQ(distance("ca", "abc"), 3U);
  EXPECT_EQ(distance("kitten", "sitting"), 3U);
  EXPECT_EQ(distance("SLICE", "PLACE"), 2U);
}

}  // namespace
}  // namespace muster
