// The parts of the launcher that need no process: lists, quoting, parsing the loader's output.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "preload/launcher/cost_rows.h"
#include "preload/launcher/linked_libraries.h"
#include "preload/launcher/load_rows.h"
#include "preload/launcher/option_flags.h"
#include "preload/launcher/preload_list.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

using Strings = std::vector<std::string>;

TEST(LoadRows, SayWhatWasSeenAndWhatWasNot) {
  LoadSnapshot load;
  load.allowed_cpus = 4;
  load.runnable = 3;
  EXPECT_EQ(load_row(load), "4 CPUs allowed, no quota, 2 other threads runnable now");
  load.allowed_cpus = 1;
  load.quota_millicpus = 1500;
  load.throttled_before = 7;
  load.unavailable = static_cast<std::uint32_t>(LoadSource::kRunnable) |
                     static_cast<std::uint32_t>(LoadSource::kPressure);
  EXPECT_EQ(load_row(load), "1 CPU allowed, a quota of 1.50 CPUs (throttled 7 times so far)");
  EXPECT_EQ(missing_rows(list_missing(load)), Strings{}) << "the sensor has not looked";
  load.stolen_before_ns = 15'890'000'000;
  EXPECT_EQ(load_row(load),
            "1 CPU allowed, a quota of 1.50 CPUs (throttled 7 times so far), 15.89 s stolen by the "
            "host so far");
  load.looks = 1;
  EXPECT_EQ(missing_rows(list_missing(load)),
            (Strings{"/proc/loadavg: runnable threads unknown",
                     "/proc/pressure/cpu: CPU pressure unknown"}));
}

TEST(MissingRows, NameTheFirstRefusal) {
  note_missing(Missing::kSlice, EPERM);
  note_missing(Missing::kSlice, EINVAL);
  EXPECT_EQ(times_missing(Missing::kSlice), 2);
  EXPECT_EQ(missing_rows(list_missing(LoadSnapshot{})),
            Strings{"sched_setattr slice (EPERM): no short slices under contention"});
}

const std::vector<Calibration> kRounds = {
    {{1'500, CostNote::kMeasured, 30},
     {5'000, CostNote::kBesideLoad, 0},
     {0, CostNote::kMeasured, 6}},
    {{1'200, CostNote::kMeasured, 20},
     {4'000, CostNote::kMeasured, 6},
     {0, CostNote::kMeasured, 6}},
    {{1'300, CostNote::kMeasured, 30},
     {4'500, CostNote::kMeasured, 5},
     {0, CostNote::kMeasured, 6}},
};

TEST(CostRows, ShowTheLeastTheBoundsAndWhatFellBack) {
  const Strings rows = cost_rows(kRounds);
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0].find("context switch   1.20 us"), 0U) << rows[0];
  EXPECT_NE(rows[1].find("(least of 80, median of rounds 1.30 us)"), std::string::npos) << rows[1];
  EXPECT_EQ(rows[2].find("wake-up          4.00 us"), 0U) << rows[2];
  EXPECT_EQ(rows[6], "bounds         a figure is believed from 0.20 us to 50.00 us");
  EXPECT_EQ(rows[7], "note           wake-up: 1 of 3 rounds not measured (default: beside load)");
}

TEST(CostRows, ShowADefaultAsADefault) {
  const std::vector<Calibration> none = {{{2'000, CostNote::kNoThreads, 0},
                                          {5'000, CostNote::kNoThreads, 0},
                                          {2'000, CostNote::kNoThreads, 0}}};
  const Strings rows = cost_rows(none);
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0].find("context switch   2.00 us"), 0U) << rows[0];
  EXPECT_NE(rows[1].find("(default: no threads)"), std::string::npos) << rows[1];
  EXPECT_NE(cost_json(none).find("\"wake\": {\"ns\": 5000, \"note\": \"default: no threads\", "
                                 "\"repeats\": 0, \"median_ns\": null, \"measured_rounds\": 0}"),
            std::string::npos)
      << cost_json(none);
}

TEST(PreloadList, SplitsAtSpacesAndColons) {
  EXPECT_EQ(split_preload(""), Strings{});
  EXPECT_EQ(split_preload(" :: "), Strings{});
  EXPECT_EQ(split_preload("/a.so"), Strings{"/a.so"});
  EXPECT_EQ(split_preload(":/a.so /b.so::c.so "), (Strings{"/a.so", "/b.so", "c.so"}));
}

TEST(PreloadList, PutsTheLibraryFirstAndOnce) {
  EXPECT_EQ(prepend_preload("/m.so", ""), "/m.so");
  EXPECT_EQ(prepend_preload("/m.so", "/a.so /b.so"), "/m.so:/a.so:/b.so");
  EXPECT_EQ(prepend_preload("/m.so", "/a.so:/m.so"), "/m.so:/a.so");
}

TEST(PreloadList, RefusesAPathTheLoaderWouldSplit) {
  EXPECT_EQ(prepend_preload("/a b/m.so", ""), std::nullopt);
  EXPECT_EQ(prepend_preload("/a:b/m.so", ""), std::nullopt);
}

TEST(ShellQuote, OnlyWhatNeedsIt) {
  EXPECT_EQ(shell_quote("plain-1.2/x_y:z,%p"), "plain-1.2/x_y:z,%p");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("A=b"), "'A=b'") << "as a command, it must not become an assignment";
  EXPECT_EQ(shell_assignment("A", "b c"), "A='b c'");
}

TEST(LoaderList, EveryKindOfLine) {
  const LinkedLibraries libraries = parse_loader_list(
      "\tlinux-vdso.so.1 (0x00007ffc)\n"
      "\t/opt/pre load.so (0x00007f01)\n"
      "\tlibomp.so.5 => /lib/libomp.so.5 (0x00007f02)\n"
      "\tlibgone.so => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n"
      "some warning\n");
  ASSERT_EQ(libraries.found.size(), 3U);
  EXPECT_EQ(libraries.found[0], "/opt/pre load.so");
  EXPECT_EQ(libraries.found[1], "/lib/libomp.so.5");
  EXPECT_EQ(libraries.found[2], "/lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(libraries.missing, Strings{"libgone.so"});
}

TEST(LoaderList, TheLoadersOwnError) {
  const LinkedLibraries libraries = parse_loader_list(
      "./app: error while loading shared libraries: libgone.so: cannot open shared object file\n");
  EXPECT_TRUE(libraries.found.empty());
  EXPECT_EQ(libraries.missing, Strings{"libgone.so"});
}

TEST(LoaderList, NonsenseIsEmpty) {
  EXPECT_TRUE(parse_loader_list("").found.empty());
  EXPECT_TRUE(parse_loader_list("\t\n\t => \n\n\t(0x").found.empty());
}

Option named(const char* variable, const char* values = "") {
  Option option = option_of(Setting::barrier);
  option.variable = variable;
  option.values = values;
  return option;
}

TEST(OptionFlags, Names) {
  EXPECT_EQ(flag_of(named("MUSTER_BARRIER")), "--barrier");
  EXPECT_EQ(flag_of(named("MUSTER_TWO_WORDS")), "--two-words");
  EXPECT_FALSE(has_flag(named("MUSTER")));
  EXPECT_TRUE(has_flag(named("MUSTER_WAIT")));
  EXPECT_TRUE(is_switch(named("MUSTER_VERBOSE", "0|1")));
  EXPECT_TRUE(is_switch(option_of(Setting::verbose)));
}

TEST(OptionFlags, ANulDoesNotHideTheRest) {
  EXPECT_TRUE(is_valid(named("MUSTER_BARRIER"), "tree"));
  EXPECT_FALSE(is_valid(named("MUSTER_BARRIER"), std::string("tree\0junk", 9)));
}

}  // namespace
}  // namespace muster::launcher
