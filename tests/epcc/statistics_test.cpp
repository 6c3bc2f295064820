// The statistics against numbers worked out by hand.
#include "epcc/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace epcc {
namespace {

TEST(Summarize, KnownData) {
  const std::vector<double> samples = {9, 2, 4, 4, 5, 5, 7, 4};  // mean 5, squares add up to 32
  const Summary s = summarize(samples);
  EXPECT_EQ(s.size, 8U);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.median, 4.5);
  EXPECT_DOUBLE_EQ(s.min, 2);
  EXPECT_DOUBLE_EQ(s.max, 9);
  EXPECT_DOUBLE_EQ(s.sd, std::sqrt(32.0 / 7.0));
  EXPECT_DOUBLE_EQ(s.interval95, 1.96 * std::sqrt(32.0 / 7.0));
  EXPECT_EQ(s.outliers, 0U);
}

TEST(Summarize, MedianOfAnOddNumberIsTheMiddleOne) {
  EXPECT_DOUBLE_EQ(summarize(std::vector<double>{3, 100, 1}).median, 3);
}

TEST(Summarize, OneSampleHasNoSpread) {
  const Summary s = summarize(std::vector<double>{7});
  EXPECT_DOUBLE_EQ(s.mean, 7);
  EXPECT_DOUBLE_EQ(s.median, 7);
  EXPECT_DOUBLE_EQ(s.sd, 0);
  EXPECT_EQ(s.outliers, 0U);
}

TEST(Summarize, NoSampleGivesZeros) {
  const Summary s = summarize({});
  EXPECT_EQ(s.size, 0U);
  EXPECT_DOUBLE_EQ(s.mean, 0);
}

TEST(Summarize, EqualSamplesAreNoOutliers) {
  const Summary s = summarize(std::vector<double>(20, 0.5));
  EXPECT_DOUBLE_EQ(s.sd, 0);
  EXPECT_EQ(s.outliers, 0U);
}

TEST(Summarize, OutliersOnBothSides) {
  std::vector<double> samples(100, 10);
  samples.front() = -90;
  samples.back() = 110;
  const Summary s = summarize(samples);  // mean 10, sd about 14
  EXPECT_DOUBLE_EQ(s.mean, 10);
  EXPECT_DOUBLE_EQ(s.median, 10);
  EXPECT_EQ(s.outliers, 2U);
}

// One sample among n lies (n - 1) / sqrt(n) sd from the mean at most: below 3 up to n = 10.
TEST(Summarize, NoOutlierAmongTenButAmongEleven) {
  std::vector<double> samples(10, 1);
  samples.back() = 1000;
  EXPECT_EQ(summarize(samples).outliers, 0U);
  samples.push_back(1);
  EXPECT_EQ(summarize(samples).outliers, 1U);
}

TEST(Overhead, SubtractsMeansAndMediansAndAddsIntervals) {
  const Summary test = summarize(std::vector<double>{4, 5, 9});
  const Summary reference = summarize(std::vector<double>{1, 2, 6});
  const Overhead o = overhead(test, reference);
  EXPECT_DOUBLE_EQ(o.mean, 3);
  EXPECT_DOUBLE_EQ(o.median, 3);
  EXPECT_DOUBLE_EQ(o.interval95, 1.96 * (test.sd + reference.sd));
}

TEST(Overhead, MayBeNegative) {
  const Summary test = summarize(std::vector<double>{1, 1});
  const Summary reference = summarize(std::vector<double>{2, 2});
  EXPECT_DOUBLE_EQ(overhead(test, reference).median, -1);
}

}  // namespace
}  // namespace epcc
