// Elsewhere than on x86 the runtimes leave each thread its floating-point environment, and so must
// Muster: putting another thread's in force changes nothing.
#include "platform/fp_control.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

namespace muster::test {
namespace {

TEST(FpControl, IsEachThreadsOwn) {
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::feraiseexcept(FE_DIVBYZERO);
  const FpControl first = FpControl::current();
  std::thread([&] {
    ASSERT_EQ(std::fesetround(FE_TOWARDZERO), 0);
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(FE_OVERFLOW);
    const KeptFpEnvironment kept;
    first.put_in_force();
    EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
    EXPECT_NE(std::fetestexcept(FE_OVERFLOW), 0);
    EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
  }).join();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace muster::test
