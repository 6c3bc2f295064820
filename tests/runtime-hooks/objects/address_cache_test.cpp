// The cache of objects by address.
#include "runtime-hooks/objects/address_cache.h"

#include <gtest/gtest.h>

namespace muster::test {
namespace {

struct Named {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  unsigned use = 0;
  const char* name = nullptr;

  bool serves_as(const Named& other) const { return use == other.use; }
  const char*& value() { return name; }
  const char* const& value() const { return name; }
};

class AddressCaches : public testing::Test {
 protected:
  const Named* find(std::uintptr_t address, unsigned use = 0) const {
    return cache_.find(reinterpret_cast<const void*>(address),
                       [use](const Named& entry) { return entry.use == use; });
  }

  AddressCache<Named, 3> cache_;
};

TEST_F(AddressCaches, FindsByAddressAndUse) {
  EXPECT_EQ(find(0), nullptr);
  cache_.add({100, 200, 0, "a"});
  cache_.add({100, 200, 1, "b"});
  ASSERT_NE(find(100), nullptr);
  EXPECT_STREQ(find(199)->name, "a");
  EXPECT_STREQ(find(150, 1)->name, "b");
  EXPECT_EQ(find(99), nullptr);
  EXPECT_EQ(find(200), nullptr);
  EXPECT_EQ(find(150, 2), nullptr);
}

TEST_F(AddressCaches, WhatIsUnloadedIsNotFound) {
  cache_.add({100, 200, 0, "a"});
  cache_.add({300, 400, 0, "b"});
  cache_.forget([](const Named& entry) { return entry.begin == 100; });
  EXPECT_EQ(find(100), nullptr);
  EXPECT_NE(find(300), nullptr);
}

TEST_F(AddressCaches, AnObjectInTheSamePlaceUsesTheEntryAgain) {
  for (int i = 0; i < 10; ++i) {
    cache_.add({100, 200, 0, "a"});
    EXPECT_NE(find(100), nullptr);
    cache_.forget([](const Named&) { return true; });
  }
  cache_.add({300, 400, 0, "b"});
  EXPECT_FALSE(cache_.is_full());
  EXPECT_STREQ(find(300)->name, "b");
}

TEST_F(AddressCaches, AddsNothingTwice) {
  for (int i = 0; i < 10; ++i) cache_.add({100, 200, 0, "a"});
  EXPECT_FALSE(cache_.is_full());
}

TEST_F(AddressCaches, WhenFullItKeepsWhatItHas) {
  for (unsigned use = 0; use < 5; ++use) cache_.add({100, 200, use, "a"});
  EXPECT_TRUE(cache_.is_full());
  EXPECT_NE(find(100, 2), nullptr);
  EXPECT_EQ(find(100, 3), nullptr);
}

}  // namespace
}  // namespace muster::test
