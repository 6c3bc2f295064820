// The parsers that the library and the launcher share: every name of the tables is taken, and
// nothing that is not a whole, exact value.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "preload/options.h"

namespace muster {
namespace {

// Texts that no option takes, whatever its kind.
const std::vector<std::string> kNeverValid = {
    "",   " ",        "\n",    "-",     "+",    "%n",
    "-1", "nonsense", "auto ", " auto", "AUTO", std::string(100000, 'a'),
};

std::vector<std::string> split(std::string_view values) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t bar = values.find('|');
    parts.emplace_back(values.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    values.remove_prefix(bar + 1);
  }
}

TEST(ParseSwitch, OnAndOffOnly) {
  bool value = false;
  EXPECT_TRUE(parse_switch("on", value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(parse_switch("off", value));
  EXPECT_FALSE(value);
  value = true;
  for (const char* bad : {"", "On", "OFF", "1", "0", "true", "on ", " on", "onn", "o"}) {
    EXPECT_FALSE(parse_switch(bad, value)) << bad;
    EXPECT_TRUE(value) << "a bad value must leave the result alone";
  }
}

TEST(ParseFlag, OneAndZeroOnly) {
  bool value = false;
  EXPECT_TRUE(parse_flag("1", value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(parse_flag("0", value));
  EXPECT_FALSE(value);
  value = true;
  for (const char* bad : {"", "2", "10", "01", "00", "-0", "+1", "on", "yes", "1 "}) {
    EXPECT_FALSE(parse_flag(bad, value)) << bad;
    EXPECT_TRUE(value) << bad;
  }
}

TEST(ParseBarrier, EveryNameOfTheTable) {
  for (int i = 0; i < kBarrierKinds; ++i) {
    BarrierKind kind = BarrierKind::kAuto;
    EXPECT_TRUE(parse_barrier(kBarrierNames[i], kind)) << kBarrierNames[i];
    EXPECT_EQ(static_cast<int>(kind), i) << kBarrierNames[i];
    EXPECT_STREQ(name_of(kind), kBarrierNames[i]);
  }
}

TEST(ParseBarrier, NothingElse) {
  BarrierKind kind = BarrierKind::kTree;
  for (const std::string& bad : kNeverValid) EXPECT_FALSE(parse_barrier(bad.c_str(), kind)) << bad;
  for (const char* bad :
       {"Tree", "tree\n", "tre", "treee", "fetch_add", "fetch-", "auto|tree", "7"}) {
    EXPECT_FALSE(parse_barrier(bad, kind)) << bad;
  }
  EXPECT_EQ(kind, BarrierKind::kTree);
}

TEST(ParseYield, TheNamesOfTheTableOnly) {
  const std::vector<std::string> listed = split(MUSTER_YIELD_VALUES);
  ASSERT_EQ(listed.size(), static_cast<std::size_t>(kYieldKinds));
  YieldKind kind = YieldKind::kNative;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_TRUE(parse_yield(listed[i].c_str(), kind)) << listed[i];
    EXPECT_EQ(static_cast<std::size_t>(kind), i);
    EXPECT_EQ(listed[i], name_of(kind));
  }
  kind = YieldKind::kSkip;
  for (const std::string& bad : kNeverValid) EXPECT_FALSE(parse_yield(bad.c_str(), kind)) << bad;
  for (const char* bad : {"Skip", "skip ", "ski", "off", "Auto", "native|skip"}) {
    EXPECT_FALSE(parse_yield(bad, kind)) << bad;
  }
  EXPECT_EQ(kind, YieldKind::kSkip);
}

TEST(ParseForkJoin, TheNamesOfTheTableOnly) {
  for (const ForkJoin expected : {ForkJoin::kAuto, ForkJoin::kOn, ForkJoin::kOff}) {
    ForkJoin choice = expected == ForkJoin::kOff ? ForkJoin::kOn : ForkJoin::kOff;
    EXPECT_TRUE(parse_fork_join(name_of(expected), choice)) << name_of(expected);
    EXPECT_EQ(choice, expected);
  }
  for (const ForkJoin kept : {ForkJoin::kAuto, ForkJoin::kOn, ForkJoin::kOff}) {
    ForkJoin choice = kept;
    for (const std::string& bad : kNeverValid) {
      EXPECT_FALSE(parse_fork_join(bad.c_str(), choice)) << bad;
    }
    for (const char* bad : {"On", "on ", "of", "offf", "1", "yes", "auto|on|off"}) {
      EXPECT_FALSE(parse_fork_join(bad, choice)) << bad;
    }
    EXPECT_EQ(choice, kept);
  }
}

TEST(OptionTable, ForkJoinListsWhatItsParserTakes) {
  for (const Option& option : kOptions) {
    if (std::string_view(option.name) != "MUSTER_FORKJOIN") continue;
    ForkJoin choice = ForkJoin::kOn;
    for (const std::string& listed : split(option.values)) {
      EXPECT_TRUE(parse_fork_join(listed.c_str(), choice)) << listed;
    }
    EXPECT_TRUE(parse_fork_join(option.fallback, choice));
    EXPECT_EQ(choice, kDefaultForkJoin);
    EXPECT_EQ(choice, Settings{}.fork_join);
  }
}

TEST(ParseBarrier, TheHelpTextNamesThemAll) {
  const std::vector<std::string> listed = split(MUSTER_BARRIER_VALUES);
  EXPECT_EQ(listed.size(), static_cast<std::size_t>(kBarrierKinds));
  for (const std::string& name : listed) {
    BarrierKind kind = BarrierKind::kAuto;
    EXPECT_TRUE(parse_barrier(name.c_str(), kind)) << name;
  }
}

TEST(ParseWait, EveryNameOfTheTable) {
  for (int i = 0; i < kWaitKinds; ++i) {
    if (static_cast<WaitKind>(i) == WaitKind::kMicroseconds) continue;
    WaitChoice choice{WaitKind::kMicroseconds, 7};
    EXPECT_TRUE(parse_wait(kWaitNames[i], choice)) << kWaitNames[i];
    EXPECT_EQ(static_cast<int>(choice.kind), i) << kWaitNames[i];
    EXPECT_EQ(choice.microseconds, 0U);
  }
}

TEST(ParseWait, TheHelpTextNamesThemAll) {
  const std::vector<std::string> listed = split(MUSTER_WAIT_VALUES);
  EXPECT_EQ(listed.size(), static_cast<std::size_t>(kWaitKinds));
  for (const std::string& name : listed) {
    WaitChoice choice{WaitKind::kAuto, 0};
    EXPECT_TRUE(parse_wait(name == "<n>us" ? "50us" : name.c_str(), choice)) << name;
  }
}

TEST(ParseWait, Microseconds) {
  const std::string most = std::to_string(kMaxSpinMicroseconds) + "us";
  WaitChoice choice{WaitKind::kAuto, 0};
  EXPECT_TRUE(parse_wait("50us", choice));
  EXPECT_EQ(choice.kind, WaitKind::kMicroseconds);
  EXPECT_EQ(choice.microseconds, 50U);
  EXPECT_TRUE(parse_wait("0us", choice));
  EXPECT_EQ(choice.microseconds, 0U);
  EXPECT_TRUE(parse_wait(most.c_str(), choice));
  EXPECT_EQ(choice.microseconds, kMaxSpinMicroseconds);
}

TEST(ParseWait, NothingElse) {
  WaitChoice choice{WaitKind::kYield, 3};
  const std::vector<std::string> bad = {
      "<n>us",
      "us",
      "50",
      "50 us",
      " 50us",
      "50us ",
      "50usx",
      "50u",
      "50ms",
      "50US",
      "-5us",
      "+5us",
      "5.0us",
      "5e1us",
      "0x5us",
      "5,0us",
      "cs++",
      "3cs+",
      "2cs",
      "Spin",
      "٣us",
      "50us|",
      "--50us",
      "5us5us",
      std::to_string(kMaxSpinMicroseconds + 1) + "us",
      "18446744073709551615us",  // 2^64 - 1
      "18446744073709551616us",  // wraps to 0 where nobody looks
      "18446744073709551666us",  // wraps to 50
      std::string(10000, '9') + "us",
  };
  for (const std::string& text : bad) EXPECT_FALSE(parse_wait(text.c_str(), choice)) << text;
  for (const std::string& text : kNeverValid)
    EXPECT_FALSE(parse_wait(text.c_str(), choice)) << text;
  EXPECT_EQ(choice.kind, WaitKind::kYield);
  EXPECT_EQ(choice.microseconds, 3U);
}

TEST(ParseCounters, NamesWithCommas) {
  for (const char* good : {"A", "A,B", "perf::PAGE-FAULTS,PAPI_L2_TCM", "L2_RQSTS:MISS:u=1"}) {
    EXPECT_TRUE(parse_counters(good)) << good;
  }
  for (const char* bad : {"", ",", "A,", ",A", "A,,B"}) EXPECT_FALSE(parse_counters(bad)) << bad;
  EXPECT_FALSE(parse_counters(std::string(100000, 'a').c_str()));
}

TEST(ParsePapi, AnyPath) {
  EXPECT_TRUE(parse_papi("libpapi.so.7.0"));
  EXPECT_TRUE(parse_papi(std::string(kMaxReportPath, 'x').c_str()));
  EXPECT_FALSE(parse_papi(""));
  EXPECT_FALSE(parse_papi(std::string(kMaxReportPath + 1, 'x').c_str()));
}

TEST(ParseReport, Paths) {
  for (const char* good : {"stderr", "a.json", "/tmp/muster-%h-%p-%r.txt", "100%%.csv", "%%", "%p",
                           "%h%p%r%%", "a b.json", "-"}) {
    EXPECT_TRUE(parse_report(good)) << good;
  }
}

TEST(ParseReport, OnlyKnownPercents) {
  for (const char* bad : {"", "%", "a%", "%d.json", "%s", "%%%", "%p%", "%H.json", "% p", "%n"}) {
    EXPECT_FALSE(parse_report(bad)) << bad;
  }
}

TEST(ParseReport, Length) {
  EXPECT_TRUE(parse_report(std::string(kMaxReportPath, 'a').c_str()));
  EXPECT_FALSE(parse_report(std::string(kMaxReportPath + 1, 'a').c_str()));
  EXPECT_FALSE(parse_report(std::string(1 << 20, 'a').c_str()));
}

TEST(OptionTable, TheDefaultsAreValid) {
  for (const Option& option : kOptions) {
    const std::string name = option.name;
    bool flag = false;
    BarrierKind barrier = BarrierKind::kAuto;
    WaitChoice wait{WaitKind::kAuto, 0};
    if (name == "MUSTER") EXPECT_TRUE(parse_switch(option.fallback, flag));
    if (name == "MUSTER_BARRIER") EXPECT_TRUE(parse_barrier(option.fallback, barrier));
    if (name == "MUSTER_WAIT") EXPECT_TRUE(parse_wait(option.fallback, wait));
    if (name == "MUSTER_VERBOSE") EXPECT_TRUE(parse_flag(option.fallback, flag));
  }
}

}  // namespace
}  // namespace muster
