// The table of CPU events, and the CPU's place in it.
#include "preload/launcher/cpu_events.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace muster::launcher {
namespace {

std::string x86(std::string_view vendor, int family, int model) {
  return "processor\t: 0\nvendor_id\t: " + std::string(vendor) +
         "\ncpu family\t: " + std::to_string(family) + "\nmodel\t\t: " + std::to_string(model) +
         "\nmodel name\t: Some CPU @ 2 GHz\n\nprocessor\t: 1\n";
}

std::string arm(std::string_view implementer, std::string_view part) {
  return "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: " + std::string(implementer) +
         "\nCPU architecture: 8\nCPU part\t: " + std::string(part) + "\n";
}

TEST(CpuEvents, EveryFamilyHasBothQuantitiesAndEachRowItsSource) {
  std::set<std::pair<std::string, Quantity>> found;
  for (const CpuEvent& event : cpu_events()) {
    found.insert({event.family, event.quantity});
    EXPECT_FALSE(std::string_view(event.source).empty()) << event.name;
    EXPECT_FALSE(std::string_view(event.note).empty()) << event.name;
  }
  for (const char* family : {"POWER3", "POWER4", "POWER8", "POWER9", "POWER10", "AArch64",
                             "Neoverse N1", "Neoverse V1", "Neoverse V2", "Skylake", "Ice Lake",
                             "Sapphire Rapids", "Zen 2", "Zen 3", "Zen 4", "Zen 5"}) {
    EXPECT_TRUE(found.contains({family, Quantity::kFailedStores})) << family;
    EXPECT_TRUE(found.contains({family, Quantity::kL2Misses})) << family;
  }
}

TEST(CpuEvents, X86HasOnlyNearestEventsForStoresThatCannotFail) {
  const std::set<std::string> of_x86{"Skylake", "Ice Lake", "Sapphire Rapids", "Zen 2", "Zen 3",
                                     "Zen 4",   "Zen 5"};
  for (const CpuEvent& event : cpu_events()) {
    if (event.quantity != Quantity::kFailedStores) continue;
    EXPECT_EQ(event.meaning == Meaning::kNearest, of_x86.contains(event.family)) << event.name;
  }
}

TEST(IdentifyCpu, ByWhatTheKernelSays) {
  EXPECT_EQ(identify_cpu(x86("GenuineIntel", 6, 85)).family, "Skylake");
  EXPECT_EQ(identify_cpu(x86("GenuineIntel", 6, 106)).family, "Ice Lake");
  EXPECT_EQ(identify_cpu(x86("GenuineIntel", 6, 143)).family, "Sapphire Rapids");
  EXPECT_EQ(identify_cpu(x86("GenuineIntel", 15, 85)).family, "");
  EXPECT_EQ(identify_cpu(x86("AuthenticAMD", 0x17, 0x31)).family, "Zen 2");
  EXPECT_EQ(identify_cpu(x86("AuthenticAMD", 0x17, 0x01)).family, "");
  EXPECT_EQ(identify_cpu(x86("AuthenticAMD", 0x19, 0x21)).family, "Zen 3");
  EXPECT_EQ(identify_cpu(x86("AuthenticAMD", 0x19, 0x11)).family, "Zen 4");
  EXPECT_EQ(identify_cpu(x86("AuthenticAMD", 0x1a, 0x02)).family, "Zen 5");
  EXPECT_EQ(identify_cpu(arm("0x41", "0xd0c")).family, "Neoverse N1");
  EXPECT_EQ(identify_cpu(arm("0x41", "0xd40")).family, "Neoverse V1");
  EXPECT_EQ(identify_cpu(arm("0x41", "0xd4f")).family, "Neoverse V2");
  EXPECT_EQ(identify_cpu(arm("0x61", "0x022")).family, "AArch64");
  EXPECT_EQ(identify_cpu("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n").family, "POWER9");
  EXPECT_EQ(identify_cpu("cpu\t\t: POWER10 (architected), altivec supported\n").family, "POWER10");
  EXPECT_EQ(identify_cpu("cpu\t\t: POWER4+ (gq)\n").family, "POWER4");
  EXPECT_EQ(identify_cpu("cpu\t\t: POWER7 (raw)\n").family, "") << "not in the table";
}

TEST(IdentifyCpu, SaysItInWords) {
  EXPECT_EQ(identify_cpu(x86("GenuineIntel", 6, 85)).text,
            "Some CPU @ 2 GHz (GenuineIntel family 6 model 85)");
  EXPECT_EQ(identify_cpu(arm("0x41", "0xd0c")).text, "Arm implementer 0x41 part 0xd0c");
  for (const char* odd : {"", "\n", "model\n", "cpu family : x\nvendor_id : GenuineIntel\n"}) {
    EXPECT_EQ(identify_cpu(odd).family, "") << odd;
  }
  EXPECT_EQ(identify_cpu("").text, "unknown");
}

}  // namespace
}  // namespace muster::launcher
