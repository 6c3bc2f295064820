// The formats of a report, from given values.
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <functional>
#include <string>

#include "preload/report/rows.h"

namespace muster {
namespace {

std::string written(Format format, const std::function<void(ReportWriter&)>& put) {
  TextBuffer text;
  ReportWriter out(format, text);
  put(out);
  out.finish();
  return {text.begin(), text.size()};
}

void put_runtime(const char* path, const char* package, const char* reason, ReportWriter& out) {
  out.put("runtime.kind", "libgomp");
  out.put("runtime.path", path);
  out.put("runtime.package", package);
  out.put("runtime.replaced", reason == nullptr);
  out.put("runtime.reason", reason);
  out.put("runtime.arrivals_replaced", 7U);
  out.write("runtime");
}

void put_two_runtimes(ReportWriter& out) {
  put_runtime("/a", "", nullptr, out);
  put_runtime("/b", "numpy", "OMPT tool", out);
  out.end("runtime");
}

TEST(ReportWriter, Text) {
  EXPECT_EQ(
      written(Format::kText, put_two_runtimes),
      "\n  runtime            libgomp, /a: barriers replaced, 7 arrivals"
      "\n  runtime            libgomp, /b (package numpy): passed through, because of OMPT tool\n");
  EXPECT_EQ(written(Format::kText, [](ReportWriter& out) { out.end("runtime"); }),
            "\n  runtime            no OpenMP call\n");
}

TEST(ReportWriter, TextShowsSoManyElements) {
  const std::string text = written(Format::kText, [](ReportWriter& out) {
    for (unsigned i = 0; i < 10; ++i) {
      out.put("site.what", "closed");
      out.write("site");
    }
    out.end("site");
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10) << text;
  EXPECT_NE(text.find("... 2 more:"), std::string::npos) << text;
}

TEST(ReportWriter, JsonOpensAndClosesWhatGroupsLieIn) {
  const std::string text = written(Format::kJson, [](ReportWriter& out) {
    out.put("process.pid", -1L);
    out.write("process");
    out.put("barrier.replaced", 5U);
    out.write("barrier");
    out.put("entry.entry", "x\"");
    out.put("entry.replaced", 5U);
    out.write("entry");
    out.write("entry");
    out.end("entry");
    out.end("algorithm");
    out.absent("counters");
    out.put("load_source.", "quota");
    out.write("load_source");
    out.put("load_source.", "cgroup");
    out.write("load_source");
    out.end("load_source");
    out.put("load.looks", 1U);
    out.write("load");
  });
  std::string compact;
  for (const char c : text) compact += c == '\n' || c == ' ' ? "" : std::string(1, c);
  EXPECT_EQ(
      compact,
      R"({"pid":-1,"barriers":{"replaced":5,"by_entry":[{"entry":"x\"","replaced":5},{}],)"
      R"("by_algorithm":[]},"counters":null,"load":{"unavailable":["quota","cgroup"],"looks":1}})");
}

TEST(ReportWriter, CsvQuotesTextAndLeavesOutNull) {
  EXPECT_EQ(written(Format::kCsv,
                    [](ReportWriter& out) {
                      put_two_runtimes(out);
                      out.put("entry.entry", "a,\"b\"");
                      out.put("entry.replaced", 1U);
                      out.write("entry");
                    }),
            "section,name,detail,value\n"
            "runtime,kind,0,\"libgomp\"\nruntime,path,0,\"/"
            "a\"\nruntime,replaced,0,1\nruntime,arrivals_replaced,0,7\n"
            "runtime,kind,1,\"libgomp\"\nruntime,path,1,\"/"
            "b\"\nruntime,package,1,\"numpy\"\nruntime,replaced,1,0\n"
            "runtime,reason,1,\"OMPT tool\"\nruntime,arrivals_replaced,1,7\n"
            "entry,\"a,\"\"b\"\"\",replaced,1\n");
}

TEST(ReportWriter, RoundsToHundredths) {
  NumberText text;
  const auto shown = [&](const Value& value, Unit unit) {
    return std::string(readable(value, unit, text));
  };
  EXPECT_EQ(shown(999U, Unit::kNs), "999 ns");
  EXPECT_EQ(shown(1'005U, Unit::kNs), "1.01 us");
  EXPECT_EQ(shown(1'234'499U, Unit::kNs), "1.23 ms");
  EXPECT_EQ(shown(999'999'999U, Unit::kNs), "1000.00 ms");
  EXPECT_EQ(shown(~std::uint64_t{0}, Unit::kNs), "18446744073.71 s");
  EXPECT_EQ(shown(7U, Unit::kUs), "7.00 us");
  EXPECT_EQ(shown(65U, Unit::kMs), "65.00 ms");
  EXPECT_EQ(shown(1'500U, Unit::kMilliCpu), "1.50");
  EXPECT_EQ(shown(Ratio{2, 3}, Unit::kRatio), "0.67");
  EXPECT_EQ(shown(Ratio{2, 3}, Unit::kPercent), "66.67");
  EXPECT_EQ(std::string(plain(Ratio{2, 3}, text)), "0.666667");
  EXPECT_EQ(std::string(plain(Ratio{5, 0}, text)), "1.000000");
  constexpr std::uint64_t kLong = 1ULL << 62;
  EXPECT_EQ(std::string(plain(Ratio{kLong, kLong / 4 * 3}, text)), "1.333333");
}

TEST(ReportWriter, NumbersHaveADotInEveryLocale) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no such locale";
  const std::string text = written(Format::kJson, [](ReportWriter& out) {
    out.put("waiting.ssr", Ratio{1, 4});
    out.write("waiting");
  });
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_NE(text.find("\"ssr\": 0.250000"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster
