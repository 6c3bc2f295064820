// The kinds of values: every name of the tables is accepted, and nothing that is not a whole, exact value.
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "options/table.h"

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
  EXPECT_TRUE(kind::OnOff::parse("on", value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(kind::OnOff::parse("off", value));
  EXPECT_FALSE(value);
  value = true;
  for (const char* bad : {"", "On", "OFF", "1", "0", "true", "on ", " on", "onn", "o"}) {
    EXPECT_FALSE(kind::OnOff::parse(bad, value)) << bad;
    EXPECT_TRUE(value) << "a bad value must leave the result alone";
  }
}

TEST(ParseFlag, OneAndZeroOnly) {
  bool value = false;
  EXPECT_TRUE(kind::Flag::parse("1", value));
  EXPECT_TRUE(value);
  EXPECT_TRUE(kind::Flag::parse("0", value));
  EXPECT_FALSE(value);
  value = true;
  for (const char* bad : {"", "2", "10", "01", "00", "-0", "+1", "on", "yes", "1 "}) {
    EXPECT_FALSE(kind::Flag::parse(bad, value)) << bad;
    EXPECT_TRUE(value) << bad;
  }
}

TEST(ParseBarrier, EveryNameOfTheTable) {
  for (int i = 0; i < kBarrierKinds; ++i) {
    BarrierKind kind = BarrierKind::kAuto;
    EXPECT_TRUE(kind::BarrierName::parse(kBarrierNames[i], kind)) << kBarrierNames[i];
    EXPECT_EQ(static_cast<int>(kind), i) << kBarrierNames[i];
    EXPECT_STREQ(name_of(kind), kBarrierNames[i]);
  }
}

TEST(ParseBarrier, NothingElse) {
  BarrierKind kind = BarrierKind::kTree;
  for (const std::string& bad : kNeverValid)
    EXPECT_FALSE(kind::BarrierName::parse(bad.c_str(), kind)) << bad;
  for (const char* bad :
       {"Tree", "tree\n", "tre", "treee", "fetch_add", "fetch-", "auto|tree", "7"}) {
    EXPECT_FALSE(kind::BarrierName::parse(bad, kind)) << bad;
  }
  EXPECT_EQ(kind, BarrierKind::kTree);
}

TEST(ParseYield, TheNamesOfTheTableOnly) {
  const std::vector<std::string> listed = split(kind::YieldName::values());
  ASSERT_EQ(listed.size(), std::size(kYieldNames));
  YieldKind kind = YieldKind::kNative;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_TRUE(kind::YieldName::parse(listed[i].c_str(), kind)) << listed[i];
    EXPECT_EQ(static_cast<std::size_t>(kind), i);
    EXPECT_EQ(listed[i], kYieldNames[i]);
  }
  kind = YieldKind::kAdaptive;
  for (const std::string& bad : kNeverValid)
    EXPECT_FALSE(kind::YieldName::parse(bad.c_str(), kind)) << bad;
  for (const char* bad : {"Adaptive", "adaptive ", "adapt", "off", "Auto", "native|auto"}) {
    EXPECT_FALSE(kind::YieldName::parse(bad, kind)) << bad;
  }
  EXPECT_EQ(kind, YieldKind::kAdaptive);
}

TEST(ParseForkJoin, TheNamesOfTheTableOnly) {
  for (const ForkJoin expected : {ForkJoin::kAuto, ForkJoin::kOn, ForkJoin::kOff}) {
    ForkJoin choice = expected == ForkJoin::kOff ? ForkJoin::kOn : ForkJoin::kOff;
    EXPECT_TRUE(kind::ForkJoinName::parse(kForkJoinNames[static_cast<int>(expected)], choice))
        << kForkJoinNames[static_cast<int>(expected)];
    EXPECT_EQ(choice, expected);
  }
  for (const ForkJoin kept : {ForkJoin::kAuto, ForkJoin::kOn, ForkJoin::kOff}) {
    ForkJoin choice = kept;
    for (const std::string& bad : kNeverValid) {
      EXPECT_FALSE(kind::ForkJoinName::parse(bad.c_str(), choice)) << bad;
    }
    for (const char* bad : {"On", "on ", "of", "offf", "1", "yes", "auto|on|off"}) {
      EXPECT_FALSE(kind::ForkJoinName::parse(bad, choice)) << bad;
    }
    EXPECT_EQ(choice, kept);
  }
}

TEST(ParseBarrier, TheHelpTextNamesThemAll) {
  const std::vector<std::string> listed = split(kind::BarrierName::values());
  EXPECT_EQ(listed.size(), static_cast<std::size_t>(kBarrierKinds));
  for (const std::string& name : listed) {
    BarrierKind kind = BarrierKind::kAuto;
    EXPECT_TRUE(kind::BarrierName::parse(name.c_str(), kind)) << name;
  }
}

TEST(ParseWait, EveryNameOfTheTable) {
  for (int i = 0; i < kWaitKinds; ++i) {
    if (static_cast<WaitKind>(i) == WaitKind::kMicroseconds) continue;
    kind::Wait::Value choice{WaitKind::kMicroseconds, 7};
    EXPECT_TRUE(kind::Wait::parse(kWaitNames[i], choice)) << kWaitNames[i];
    EXPECT_EQ(static_cast<int>(choice.kind), i) << kWaitNames[i];
    EXPECT_EQ(choice.fixed_ns, 0U);
  }
}

TEST(ParseWait, TheHelpTextNamesThemAll) {
  const std::vector<std::string> listed = split(kind::Wait::values());
  EXPECT_EQ(listed.size(), static_cast<std::size_t>(kWaitKinds));
  for (const std::string& name : listed) {
    kind::Wait::Value choice{WaitKind::kAuto, 0};
    EXPECT_TRUE(kind::Wait::parse(name == "<n>us" ? "50us" : name.c_str(), choice)) << name;
  }
}

TEST(ParseWait, Microseconds) {
  const std::string most = std::to_string(kind::Time::kMostUs) + "us";
  kind::Wait::Value choice{WaitKind::kAuto, 0};
  EXPECT_TRUE(kind::Wait::parse("50us", choice));
  EXPECT_EQ(choice.kind, WaitKind::kMicroseconds);
  EXPECT_EQ(choice.fixed_ns, 50'000U);
  EXPECT_TRUE(kind::Wait::parse("0us", choice));
  EXPECT_EQ(choice.fixed_ns, 0U);
  EXPECT_TRUE(kind::Wait::parse(most.c_str(), choice));
  EXPECT_EQ(choice.fixed_ns, kind::Time::kMostUs * 1000);
}

TEST(ParseWait, NothingElse) {
  kind::Wait::Value choice{WaitKind::kYield, 3};
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
      std::to_string(kind::Time::kMostUs + 1) + "us",
      "18446744073709551615us",  // 2^64 - 1
      "18446744073709551616us",  // wraps to 0 if unchecked
      "18446744073709551666us",  // wraps to 50
      std::string(10000, '9') + "us",
  };
  for (const std::string& text : bad) EXPECT_FALSE(kind::Wait::parse(text.c_str(), choice)) << text;
  for (const std::string& text : kNeverValid)
    EXPECT_FALSE(kind::Wait::parse(text.c_str(), choice)) << text;
  EXPECT_EQ(choice.kind, WaitKind::kYield);
  EXPECT_EQ(choice.fixed_ns, 3U);
}

const Option& kCounters = option_of(Setting::counters);
const Option& kPapi = option_of(Setting::papi);
const Option& kReport = option_of(Setting::report);

TEST(ParseCounters, NamesWithCommas) {
  for (const char* good : {"A", "A,B", "perf::PAGE-FAULTS,PAPI_L2_TCM", "L2_RQSTS:MISS:u=1"}) {
    EXPECT_TRUE(kCounters.is_valid(good)) << good;
  }
  for (const char* bad : {"", ",", "A,", ",A", "A,,B"})
    EXPECT_FALSE(kCounters.is_valid(bad)) << bad;
  EXPECT_FALSE(kCounters.is_valid(std::string(100000, 'a').c_str()));
}

TEST(ParsePapi, AnyPath) {
  EXPECT_TRUE(kPapi.is_valid("libpapi.so.7.0"));
  EXPECT_TRUE(kPapi.is_valid(std::string(kind::ReportPath::kMost, 'x').c_str()));
  EXPECT_FALSE(kPapi.is_valid(""));
  EXPECT_FALSE(kPapi.is_valid(std::string(kind::ReportPath::kMost + 1, 'x').c_str()));
}

TEST(ParseReport, Paths) {
  for (const char* good :
       {"stderr", "a.json", "/tmp/muster-%h-%p-%r.txt", "100%%.csv", "%%", "%p", "%h%p%r%%",
        "a b.json", "/dev/null", "a", "a.b/c", "a.%p", "a.1", ".a"}) {
    EXPECT_TRUE(kReport.is_valid(good)) << good;
  }
}

TEST(ParseReport, WhatIsWrongIsNamed) {
  EXPECT_STREQ(kReport.problem("a%q"), "no such % pattern");
  EXPECT_STREQ(kReport.problem("a.xyz"), "no such format");
  EXPECT_STREQ(kReport.problem("a.html"), "no such format");
  for (const char* bad : {"stdout", "-", "/dev/stdout"}) {
    EXPECT_STREQ(kReport.problem(bad), "standard output is the program's") << bad;
    EXPECT_FALSE(kReport.is_valid(bad)) << bad;
  }
  EXPECT_STREQ(kReport.problem("a.json"), "");
}

TEST(ParseReport, OnlyKnownPercents) {
  for (const char* bad : {"", "%", "a%", "%d.json", "%s", "%%%", "%p%", "%H.json", "% p", "%n"}) {
    EXPECT_FALSE(kReport.is_valid(bad)) << bad;
  }
}

TEST(ParseReport, Length) {
  EXPECT_TRUE(kReport.is_valid(std::string(kind::ReportPath::kMost, 'a').c_str()));
  EXPECT_FALSE(kReport.is_valid(std::string(kind::ReportPath::kMost + 1, 'a').c_str()));
  EXPECT_FALSE(kReport.is_valid(std::string(1 << 20, 'a').c_str()));
}

TEST(OptionTable, EveryRowAcceptsItsDefaultAndNoNonsense) {
  for (const Option& option : kOptions) {
    if (*option.fallback != '\0') {
      EXPECT_TRUE(option.is_valid(option.fallback)) << option.variable;
    }
    EXPECT_FALSE(option.is_valid("")) << option.variable;
    EXPECT_FALSE(option.is_valid(std::string(100000, 'a').c_str())) << option.variable;
  }
}

// Where a value is one of a few words, all of them are accepted.
TEST(OptionTable, EveryRowAcceptsTheWordsItLists) {
  for (const Option& option : kOptions) {
    for (const std::string& word : split(option.values)) {
      const bool stands_for_another = word.find_first_of("<,.F") != std::string::npos;
      if (!stands_for_another) {
        EXPECT_TRUE(option.is_valid(word.c_str())) << word;
      }
    }
  }
}

TEST(OptionTable, TheDefaults) {
  const Settings defaults;
  EXPECT_TRUE(defaults.on);
  EXPECT_EQ(defaults.barrier, BarrierKind::kAuto);
  EXPECT_EQ(defaults.wait.kind, WaitKind::kAuto);
  EXPECT_EQ(defaults.slice_ns, 0U);
  EXPECT_TRUE(defaults.place);
  EXPECT_EQ(defaults.yield, YieldKind::kAuto);
  EXPECT_EQ(defaults.fork_join, ForkJoin::kAuto);
  EXPECT_EQ(defaults.report, nullptr);
  EXPECT_FALSE(defaults.verbose);
}

}  // namespace
}  // namespace muster
