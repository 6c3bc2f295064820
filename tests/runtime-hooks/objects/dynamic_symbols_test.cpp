// Symbol tables that the linkers here do not produce: written by hand.
#include "runtime-hooks/objects/dynamic_symbols.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace muster::test {
namespace {

// Names: 1 "entry", 7 "other", 13 "NEW", 17 "OLD".
constexpr char kStrings[] = "\0entry\0other\0NEW\0OLD";
constexpr ElfW(Word) kEntry = 1, kOther = 7, kNew = 13, kOld = 17;

ElfW(Sym) symbol(ElfW(Word) name, ElfW(Addr) value, unsigned binding = STB_GLOBAL,
                 unsigned visibility = STV_DEFAULT, ElfW(Half) section = 1) {
  ElfW(Sym) out{};
  out.st_name = name;
  out.st_value = value;
  out.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, STT_FUNC));
  out.st_other = static_cast<unsigned char>(visibility);
  out.st_shndx = section;
  return out;
}

// Searched one by one: the gABI's hash table tells only how many symbols there are.
class Tables : public testing::Test {
 protected:
  void add(const ElfW(Sym) & entry, ElfW(Half) version = 1) {
    table_.push_back(entry);
    versions_.push_back(version);
  }
  DynamicSymbols symbols(bool with_versions = true) {
    hash_[1] = static_cast<std::uint32_t>(table_.size());
    DynamicSymbols out;
    out.table = table_.data();
    out.strings = kStrings;
    out.hash = hash_;
    if (with_versions) out.versions = versions_.data();
    out.defined = &definitions_[0].entry;
    return out;
  }
  ElfW(Addr) defined(const char* name, const char* version = nullptr, bool with_versions = true) {
    const ElfW(Sym)* found = definition_of(symbols(with_versions), name, version);
    return found != nullptr ? found->st_value : 0;
  }

 private:
  struct Definition {
    ElfW(Verdef) entry;
    ElfW(Verdaux) name;
  };
  static Definition definition(ElfW(Half) number, ElfW(Word) name, bool last) {
    Definition out{};
    out.entry.vd_ndx = number;
    out.entry.vd_aux = sizeof(ElfW(Verdef));
    out.entry.vd_next = last ? 0 : sizeof(Definition);
    out.name.vda_name = name;
    return out;
  }

  std::vector<ElfW(Sym)> table_{ElfW(Sym){}};
  std::vector<ElfW(Half)> versions_{0};
  std::uint32_t hash_[2] = {1, 0};
  const Definition definitions_[2] = {definition(2, kNew, false), definition(3, kOld, true)};
};

TEST_F(Tables, OnlyWhatOthersCanSeeIsADefinition) {
  add(symbol(kEntry, 1, STB_GLOBAL, STV_DEFAULT, SHN_UNDEF));
  add(symbol(kEntry, 2, STB_LOCAL));
  add(symbol(kEntry, 3, STB_GLOBAL, STV_HIDDEN));
  add(symbol(kOther, 4));
  EXPECT_EQ(defined("entry"), 0U);
  add(symbol(kEntry, 5, STB_WEAK, STV_PROTECTED));
  EXPECT_EQ(defined("entry"), 5U);
  EXPECT_EQ(defined("entry", nullptr, false), 5U);
  EXPECT_EQ(defined("entry", "NEW"), 5U) << "one without a version matches all";
  EXPECT_EQ(defined("missing"), 0U);
}

TEST_F(Tables, ByVersion) {
  add(symbol(kEntry, 1), 3 | 0x8000);  // OLD, not the default
  add(symbol(kEntry, 2), 2);
  add(symbol(kOther, 3), 7 | 0x8000);  // a version that is not defined
  EXPECT_EQ(defined("entry"), 2U);
  EXPECT_EQ(defined("entry", "OLD"), 1U);
  EXPECT_EQ(defined("entry", "NEW"), 2U);
  EXPECT_EQ(defined("entry", "NEXT"), 0U);
  EXPECT_EQ(defined("other", "NEW"), 0U);
  EXPECT_TRUE(differs_by_version(symbols(), "entry"));
  EXPECT_FALSE(differs_by_version(symbols(), "other"));
  EXPECT_FALSE(differs_by_version(symbols(), "missing"));
  EXPECT_FALSE(defines_without_version(symbols(), "entry"));
  EXPECT_TRUE(defines_without_version(symbols(false), "entry"));
  add(symbol(kEntry, 4), 1);
  EXPECT_TRUE(defines_without_version(symbols(), "entry"));
}

TEST_F(Tables, WithoutAnyThereIsNothing) {
  DynamicSymbols none;
  EXPECT_EQ(symbol_count(none), 0U);
  const auto fail = [](const DynamicSymbols&, std::size_t, void*) { FAIL(); };
  for (const char* strings : {static_cast<const char*>(nullptr), kStrings}) {
    none.strings = strings;
    EXPECT_EQ(definition_of(none, "entry", nullptr), nullptr);
    EXPECT_FALSE(differs_by_version(none, "entry"));
    EXPECT_FALSE(defines_without_version(none, "entry"));
    EXPECT_FALSE(reference_to(none, "entry").found);
    for_each_reference(none, fail, nullptr);
  }
  const ElfW(Sym) one{};
  none.table = &one;
  none.strings = nullptr;
  EXPECT_FALSE(none.readable());
  EXPECT_EQ(definition_of(dynamic_symbols_of({}), "entry", nullptr), nullptr);
}

// GNU's: bucket count, first symbol, words of the filter, shift; the filter; the buckets; the chain.
TEST_F(Tables, GnusHashTableMayBeEmpty) {
  add(symbol(kEntry, 1));
  DynamicSymbols tables = symbols();
  tables.hash = nullptr;
  const std::uint32_t no_buckets[] = {0, 1, 1, 0, ~0U, ~0U};
  tables.gnu_hash = no_buckets;
  EXPECT_EQ(symbol_count(tables), 0U);
  EXPECT_EQ(definition_of(tables, "entry", nullptr), nullptr);
  const std::uint32_t empty_bucket[] = {1, 1, 1, 0, ~0U, ~0U, 0, 0};
  tables.gnu_hash = empty_bucket;
  EXPECT_EQ(symbol_count(tables), 0U);
  EXPECT_EQ(definition_of(tables, "entry", nullptr), nullptr);
  const std::uint32_t no_filter[] = {1, 1, 1, 0, 0, 0, 0, 0};
  tables.gnu_hash = no_filter;
  EXPECT_EQ(definition_of(tables, "entry", nullptr), nullptr);
}

TEST_F(Tables, AReferenceToAVersionThatNoFileIsNeededFor) {
  add(symbol(kEntry, 0, STB_WEAK, STV_DEFAULT, SHN_UNDEF), 5);
  add(symbol(kOther, 0, STB_GLOBAL, STV_DEFAULT, SHN_UNDEF), 1);
  DynamicSymbols tables = symbols();
  ElfW(Rela) relocations[3] = {};
  for (std::size_t i = 0; i < 3; ++i) relocations[i].r_info = ELF64_R_INFO(i, 0);
  tables.references[1] = relocations;
  tables.reference_counts[1] = 3;
  Reference found = reference_to(tables, "entry");
  EXPECT_TRUE(found.found && found.weak);
  EXPECT_EQ(found.version, nullptr);
  struct {
    ElfW(Verneed) file;
    ElfW(Vernaux) version;
  } needed{};
  needed.file.vn_cnt = 1;
  needed.file.vn_aux = sizeof(needed.file);
  needed.version.vna_other = 4;
  needed.version.vna_name = kNew;
  tables.needed = &needed.file;
  EXPECT_EQ(reference_to(tables, "entry").version, nullptr) << "of another symbol";
  needed.version.vna_other = 5;
  EXPECT_STREQ(reference_to(tables, "entry").version, "NEW");
  tables.versions = nullptr;
  found = reference_to(tables, "other");
  EXPECT_TRUE(found.found && !found.weak);
  EXPECT_EQ(found.version, nullptr);
}

}  // namespace
}  // namespace muster::test
