// The parts of `muster compare` that need no processes.
#include <gtest/gtest.h>

#include <filesystem>

#include "preload/launcher/compare/estimate.h"
#include "preload/launcher/compare/findings.h"
#include "preload/launcher/compare/output_files.h"
#include "preload/launcher/compare/progress.h"

namespace muster::launcher {
namespace {

const std::vector<double> kOurs{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
const std::vector<double> kTheirs{21, 23, 22, 26, 30, 24, 25, 29, 28, 27};

Comparison made(const std::vector<std::vector<double>>& seconds) {
  Comparison comparison;
  comparison.rounds = static_cast<unsigned>(seconds.front().size());
  comparison.loads = {{}};
  comparison.variants = {
      {.name = "stock"}, {.name = "passive"}, {.name = "Muster", .is_muster = true}};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    for (unsigned round = 0; round < seconds[i].size(); ++round) {
      comparison.runs.push_back(
          {.round = round, .variant = i, .elapsed_s = seconds[i][round], .status = "0"});
    }
  }
  return comparison;
}

TEST(Estimate, Medians) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

// 8,000 resamples by Python's random.choices and statistics.median have 1.759 (1.438 to 2.208).
TEST(Estimate, TheIntervalIsThatOfOtherImplementations) {
  const Interval found = gain_over_best(kOurs, {kTheirs}, false);
  EXPECT_NEAR(found.value, 1.759, 0.001);
  EXPECT_NEAR(found.low, 1.438, 0.05);
  EXPECT_NEAR(found.high, 2.208, 0.05);
}

TEST(Estimate, TheBestRivalCounts) {
  const Interval slower = gain_over_best(kOurs, {kTheirs, {7, 7, 7}}, false);
  EXPECT_EQ(slower.best, 1U);
  EXPECT_LT(slower.value, 1);
  const Interval more = gain_over_best({200, 200}, {{50, 50}, {100, 100}}, true);
  EXPECT_EQ(more.best, 1U);
  EXPECT_EQ(more.value, 2);
  EXPECT_EQ(more.low, 2);
  EXPECT_EQ(more.high, 2);
}

TEST(Findings, Verdicts) {
  const std::vector<double> steady(8, 2.0);
  const auto verdict = [&](const std::vector<double>& muster) {
    return find(made({steady, std::vector<double>(8, 3.0), muster})).verdict.front();
  };
  EXPECT_EQ(verdict(std::vector<double>(8, 1.0)), "Muster: 2.00 to 2.00 times as fast as stock.");
  EXPECT_EQ(verdict(std::vector<double>(8, 4.0)),
            "Muster: slower, 0.50 to 0.50 times as fast as stock.");
  EXPECT_EQ(verdict(steady), "Muster: nothing gained, nothing lost (1.00 to 1.00 of stock).");
  EXPECT_EQ(verdict({1, 3, 1, 3, 1, 3, 1, 3}).rfind("Muster: no clear result (", 0), 0U);
}

TEST(Findings, AComparisonSurvivesItsFile) {
  Comparison comparison = made({kTheirs, kTheirs, kOurs});
  comparison.command = {"a b", "\xff"};
  comparison.runs[3].figure = 1.5;
  const auto file = std::filesystem::path(testing::TempDir()) / "muster-comparison.json";
  write_whole(file, comparison_json(comparison, true));
  const Comparison again = read_comparison(file);
  EXPECT_EQ(again.variants, comparison.variants);
  EXPECT_EQ(again.runs[3].figure, 1.5);
  EXPECT_TRUE(again.is_complete());
  EXPECT_EQ(comparison_text(again, false), comparison_text(comparison, false));
  write_whole(file, "{\"format\": 1}");
  EXPECT_THROW(read_comparison(file), std::runtime_error);
}

TEST(Findings, ThePageNeedsNothingElse) {
  Comparison comparison = made({kTheirs, kTheirs, kOurs});
  comparison.command = {"<script>"};
  const std::string page = comparison_page(comparison);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("://"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
}

TEST(Outputs, Figures) {
  EXPECT_EQ(figure_in("rate: 12.5 GB/s\n", "rate:"), 12.5);
  EXPECT_EQ(figure_in("rate: 1\nrate: 2e3\n", "rate: "), 2000);
  EXPECT_EQ(figure_in("{\"a\": 4}", "\"a\": ([0-9]+)"), 4);
  EXPECT_EQ(figure_in("nothing", "rate"), std::nullopt);
  EXPECT_EQ(file_word("4 threads, 2 hogs"), "4-threads-2-hogs");
}

TEST(Progress, Durations) {
  EXPECT_EQ(duration_text(12.4), "12 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
}

}  // namespace
}  // namespace muster::launcher
