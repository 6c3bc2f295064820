// What is known of the process: its environment, who calls, which objects go.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>

#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/loaded_objects.h"
#include "runtime-hooks/unloading.h"
#include "runtime-hooks/yield_caller.h"

namespace muster::test {
namespace {

TEST(Environment, WhatMeansNo) {
  for (const char* no : {"0", "false", " .FALSE.", "\toff", "no", "disabled", " "}) {
    setenv("KMP_INHERIT_FP_CONTROL", no, 1);
    setenv("OMP_DISPLAY_AFFINITY", no, 1);
    read_environment();
    EXPECT_FALSE(g_fp_is_inherited) << no;
    EXPECT_FALSE(g_affinity_is_displayed) << no;
  }
  unsetenv("OMP_DISPLAY_AFFINITY");
  for (const char* yes : {"1", "true", ""}) {
    setenv("KMP_INHERIT_FP_CONTROL", yes, 1);
    read_environment();
    EXPECT_TRUE(g_fp_is_inherited) << yes;
  }
  unsetenv("KMP_INHERIT_FP_CONTROL");
  setenv("OMP_DISPLAY_AFFINITY", "verbose", 1);
  read_environment();
  EXPECT_TRUE(g_affinity_is_displayed) << "it may mean yes";
  unsetenv("OMP_DISPLAY_AFFINITY");
  g_affinity_is_displayed = false;
}

// More places that call sched_yield than are remembered, in code that belongs to no object.
TEST(YieldCallers, AreRememberedUpToALimit) {
  constexpr std::size_t kPages = 400, kPage = 4096;
  auto* code = static_cast<char*>(
      mmap(nullptr, kPages * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_FALSE(is_runtimes_yield(code + i * kPage));
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_FALSE(is_runtimes_yield(code + i * kPage));
  struct All {
    static bool has_gone(std::uintptr_t) { return true; }
  };
  forget_yield_callers(Gone(All{}));
  EXPECT_FALSE(is_runtimes_yield(code)) << "found anew, in the place of the one that has gone";
  munmap(code, kPages * kPage);
}

TEST(Objects, OfNoAddress) {
  EXPECT_FALSE(object_of(nullptr).found());
  object_goes(nullptr);  // nobody is told
  EXPECT_FALSE(stays_for_ever({}));
  EXPECT_EQ(handle_of({}), nullptr);
  release_handle(nullptr);
}

TEST(Objects, TheFirstThatIsAccepted) {
  LoadedObject found;
  EXPECT_TRUE(find_object([](const LoadedObject& object, void*) { return object.path[0] == '/'; },
                          nullptr, found));
  EXPECT_EQ(found.path[0], '/');
}

}  // namespace
}  // namespace muster::test
