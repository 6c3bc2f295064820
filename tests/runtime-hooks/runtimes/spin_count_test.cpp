// libgomp's spin count among the words of its variables.
#include "runtime-hooks/runtimes/spin_count.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace muster::test {
namespace {

// The index of the word that is found; -1 if none is.
std::ptrdiff_t found_in(std::vector<std::uint64_t> words) {
  std::uint64_t* const begin = words.data();
  const std::uint64_t* const found = find_spin_count(begin, begin + words.size());
  return found != nullptr ? found - begin : -1;
}

TEST(SpinCount, IsTheOnlyWordWithTheDefaultNearTheOther) {
  EXPECT_EQ(found_in({0, 0, 100, 300'000, 0}), 3);     // as gcc 12 lays it out
  EXPECT_EQ(found_in({0, 0, 300'000, 0, 100, 0}), 2);  // as gcc 8
  EXPECT_EQ(found_in({300'000, 100}), 0);
  EXPECT_EQ(found_in({100, 300'000}), 1);
}

TEST(SpinCount, IsNotFoundWhereTheUserChoseOne) {
  EXPECT_EQ(found_in({0, 0, 0, 0}), -1);                     // OMP_WAIT_POLICY=passive
  EXPECT_EQ(found_in({1000, 30'000'000'000, 0}), -1);        // active
  EXPECT_EQ(found_in({100, 5'000, 0}), -1);                  // GOMP_SPINCOUNT
  EXPECT_EQ(found_in({100, 300'000, 0, 300'000, 100}), -1);  // which of them?
  EXPECT_EQ(found_in({300'000}), -1);
  EXPECT_EQ(found_in({}), -1);
}

TEST(SpinCount, IsNotTakenForAnotherVariableFarFromTheOther) {
  std::vector<std::uint64_t> words(100, 0);
  words[50] = 300'000;
  words[41] = 100;
  words[58] = 100;
  EXPECT_EQ(found_in(words), -1);
  words[42] = 100;
  EXPECT_EQ(found_in(words), 50);
}

}  // namespace
}  // namespace muster::test
