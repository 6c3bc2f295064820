// What is known about the process: its environment, callers, and unloaded objects.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/unloading.h"
#include "runtime-hooks/runtimes/yields/yield_caller.h"

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
  EXPECT_TRUE(g_affinity_is_displayed) << "treated as yes";
  unsetenv("OMP_DISPLAY_AFFINITY");
  g_affinity_is_displayed = false;
}

// More callers of sched_yield than the cache holds, in code that belongs to no object.
TEST(YieldCallers, AreRememberedUpToALimit) {
  constexpr std::size_t kPages = 400, kPage = 4096;
  auto* code = static_cast<char*>(
      mmap(nullptr, kPages * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_EQ(yield_caller(code + i * kPage), kOtherCaller);
  for (std::size_t i = 0; i < kPages; ++i) EXPECT_EQ(yield_caller(code + i * kPage), kOtherCaller);
  struct All {
    static bool has_gone(std::uintptr_t) { return true; }
  };
  forget_yield_callers(Gone(All{}));
  EXPECT_EQ(yield_caller(code), kOtherCaller) << "found again, in the slot of the removed one";
  munmap(code, kPages * kPage);
}

TEST(Objects, OfNoAddress) {
  EXPECT_FALSE(object_of(nullptr).found());
  object_goes(nullptr);  // no listener is called
  EXPECT_FALSE(stays_for_ever({}));
  EXPECT_EQ(handle_of({}), nullptr);
  release_handle(nullptr);
}

// In the test program no symbol counts as present from the start.
TEST(Objects, TheDefinitionOfASymbol) {
  EXPECT_TRUE(is_defined("malloc"));
  EXPECT_FALSE(is_defined("no_such_function"));
  EXPECT_EQ(global_definition("malloc"), dlsym(RTLD_DEFAULT, "malloc"));
  EXPECT_EQ(global_definition("no_such_function"), nullptr);
  EXPECT_EQ(next_at_start("malloc"), nullptr);
  // An object's own resolver must be run by the loader.
  LoadedObject libc = object_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
  void* own = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);  // sanitizers have a memcpy of theirs
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(defined_by(libc, "memcpy"), dlsym(own, "memcpy"));
  dlclose(own);
  EXPECT_EQ(address_without_muster(libc, "gnu_get_libc_version"),
            dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
  libc.path = "/nowhere/libc.so";
  EXPECT_EQ(defined_by(libc, "memcpy"), nullptr);
}

unsigned g_calls = 0;
bool g_null_has_gone = false;
void note_unloaded(const Gone& gone) {
  ++g_calls;
  g_null_has_gone = gone(std::uintptr_t{0});
}

TEST(Objects, ThatHaveGone) {
  for (int i = 0; i < 10; ++i)
    when_unloaded(note_unloaded);  // more listeners than there is space for
  void* library = dlopen("libhwloc.so.15", RTLD_NOW);
  if (library == nullptr) GTEST_SKIP() << "nothing to load";
  look_for_unloaded();
  dlclose(library);
  g_calls = 0;
  look_for_unloaded();
  EXPECT_GE(g_calls, 1U);
  EXPECT_TRUE(g_null_has_gone);
  g_calls = 0;
  look_for_unloaded();
  EXPECT_EQ(g_calls, 0U);
}

TEST(Objects, TheFirstThatIsAccepted) {
  LoadedObject found;
  EXPECT_TRUE(find_object([](const LoadedObject& object, void*) { return object.path[0] == '/'; },
                          nullptr, found));
  EXPECT_EQ(found.path[0], '/');
}

}  // namespace
}  // namespace muster::test
