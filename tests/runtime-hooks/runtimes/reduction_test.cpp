// The method that a reduction takes, and the order of the tree: that of the runtimes' reduction barrier, whatever the
// size of the groups.
#include "runtime-hooks/runtimes/reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace muster::test {
namespace {

// Each thread holds a text that records how its value was combined.
void concatenate(void* into, void* from) {
  auto& text = *static_cast<std::string*>(into);
  text = "(" + text + *static_cast<std::string*>(from) + ")";
}

std::vector<std::string> leaves(unsigned threads) {
  std::vector<std::string> parts(threads);
  for (unsigned i = 0; i < threads; ++i) parts[i] = std::to_string(i) + ".";
  return parts;
}

// Each thread waits for those 1, 2, 4... above it until its own turn to be combined.
std::string hypercube(unsigned threads, unsigned me = 0) {
  std::string text = leaves(threads)[me];
  for (unsigned apart = 1; apart < threads && (me & apart) == 0; apart *= 2) {
    if (me + apart < threads) text = "(" + text + hypercube(threads, me + apart) + ")";
  }
  return text;
}

TEST(ReductionTree, IsTheSameForAllGroups) {
  for (unsigned threads = 1; threads <= 70; ++threads) {
    for (const unsigned group : {2U, 4U, 8U, 128U}) {
      std::vector<std::string> parts = leaves(threads);
      const auto data_of = [&](unsigned thread) -> void* { return &parts[thread]; };
      unsigned step = 1;
      for (; step * group < threads; step *= group) {
        for (unsigned first = 0; first < threads; first += step * group) {
          const unsigned end = std::min(first + step * group, threads);
          combine_group(data_of, first, step, end, concatenate);
        }
      }
      combine_group(data_of, 0, step, threads, concatenate);
      EXPECT_EQ(parts[0], hypercube(threads)) << threads << " threads, groups of " << group;
    }
  }
}

class ReductionMethod : public testing::Test {
 protected:
  ~ReductionMethod() override {
    for (const auto& [name, value] : set_) ::unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_[name] = value;
  }
  Reduction method(unsigned threads, bool atomic = true, bool tree = true) {
    const abi::Ident where{.reserved = 0, .flags = atomic ? 0x12 : 0x02};
    int data = 0;
    return reduction_method(reduction_rules(), threads, &where, tree ? &data : nullptr,
                            tree ? concatenate : nullptr);
  }

 private:
  std::map<std::string, std::string> set_;
};

TEST_F(ReductionMethod, GoesBySizeAndWhatTheCompilerMade) {
  EXPECT_EQ(method(2), Reduction::kAtomic);
  EXPECT_EQ(method(4), Reduction::kAtomic);
  EXPECT_EQ(method(5), Reduction::kTree);
  EXPECT_EQ(method(4, false), Reduction::kCritical);
  EXPECT_EQ(method(5, false), Reduction::kTree);
  EXPECT_EQ(method(5, true, false), Reduction::kAtomic);
  EXPECT_EQ(method(5, false, false), Reduction::kCritical);
  EXPECT_EQ(reduction_method(reduction_rules(), 2, nullptr, nullptr, nullptr),
            Reduction::kCritical);
}

TEST_F(ReductionMethod, IsForced) {
  set("KMP_FORCE_REDUCTION", "Tree");
  EXPECT_EQ(method(2), Reduction::kTree);
  EXPECT_EQ(method(2, true, false), Reduction::kReal);
  set("KMP_FORCE_REDUCTION", "atomic");
  EXPECT_EQ(method(9), Reduction::kAtomic);
  EXPECT_EQ(method(9, false), Reduction::kReal);
  set("KMP_FORCE_REDUCTION", "critical");
  EXPECT_EQ(method(9), Reduction::kCritical);
  set("KMP_FORCE_REDUCTION", "tre");
  EXPECT_EQ(method(9), Reduction::kReal);
}

TEST_F(ReductionMethod, IsDetermined) {
  for (const char* yes : {"true", "1", "yes", "ON", ".T."}) {
    set("KMP_DETERMINISTIC_REDUCTION", yes);
    EXPECT_EQ(method(2), Reduction::kTree) << yes;
  }
  for (const char* no : {"false", "0", "no", "off", ".FALSE.", "disabled"}) {
    set("KMP_DETERMINISTIC_REDUCTION", no);
    EXPECT_EQ(method(2), Reduction::kAtomic) << no;
  }
  set("KMP_FORCE_REDUCTION", "atomic");
  EXPECT_EQ(method(2), Reduction::kReal);
}

TEST_F(ReductionMethod, LeavesATreeOfAnotherShapeToTheRuntime) {
  set("KMP_REDUCTION_BARRIER", "2,2");
  EXPECT_EQ(method(9), Reduction::kReal);
  EXPECT_EQ(method(2), Reduction::kAtomic);
}

}  // namespace
}  // namespace muster::test
