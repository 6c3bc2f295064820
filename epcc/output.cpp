// See output.h. The keys and columns are listed in README.md.
#include "epcc/output.h"

#include <fmt/core.h>

#include "epcc/json.h"

namespace epcc {
namespace {

Json to_json(const Summary& s) {
  return {{"mean", s.mean}, {"median", s.median}, {"min", s.min},
          {"max", s.max},   {"sd", s.sd},         {"interval95", s.interval95}};
}

Json to_json(const Timing& t) {
  Json json;
  json.add("inner_repetitions", t.inner_repetitions);
  json.add_object("time_us", to_json(t.time_us));
  json.add("outliers", t.time_us.outliers);
  return json;
}

Json to_json(const Result& r) {
  Json json;
  json.add("name", std::string(r.construct->name));
  json.add_all_of(to_json(r.test));
  json.add_object("overhead_us", {{"mean", r.overhead_us.mean},
                                  {"median", r.overhead_us.median},
                                  {"interval95", r.overhead_us.interval95}});
  Json reference;
  reference.add("name", std::string(r.construct->reference->name));
  reference.add_all_of(to_json(r.reference));
  json.add_object("reference", reference);
  return json;
}

void print_sample(const Timing& t) {
  const Summary& s = t.time_us;
  fmt::print("  {:>10} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9}\n", "Samples", "Mean", "Median",
             "Min", "Max", "StdDev", "Outliers");
  fmt::print("  {:>10} {:>11.6f} {:>11.6f} {:>11.6f} {:>11.6f} {:>11.6f} {:>9}\n", s.size, s.mean,
             s.median, s.min, s.max, s.sd, s.outliers);
}

void print_reference(const Result& r) {
  const Summary& s = r.reference.time_us;
  const auto name = r.construct->reference->name;
  fmt::print("\n{}, {} inner repetitions\n", name, r.reference.inner_repetitions);
  print_sample(r.reference);
  fmt::print("{} mean time    = {:.6f} microseconds +/- {:.6f}\n", name, s.mean, s.interval95);
  fmt::print("{} median time  = {:.6f} microseconds\n", name, s.median);
}

void print_result(const Result& r) {
  const Summary& s = r.test.time_us;
  const auto title = r.construct->title;
  fmt::print("\n{}, {} inner repetitions\n", title, r.test.inner_repetitions);
  print_sample(r.test);
  fmt::print("{} time         = {:.6f} microseconds +/- {:.6f}\n", title, s.mean, s.interval95);
  fmt::print("{} overhead     = {:.6f} microseconds +/- {:.6f}\n", title, r.overhead_us.mean,
             r.overhead_us.interval95);
  fmt::print("{} median_ovrhd = {:.6f} microseconds\n", title, r.overhead_us.median);
}

}  // namespace

void print_text(const Report& report) {
  const Settings& s = report.settings;
  fmt::print("syncbench, after EPCC's OpenMP microbenchmarks 4.0\n");
  fmt::print("  runtime            {}\n", report.runtime);
  fmt::print("  threads            {}\n", s.threads);
  fmt::print("  outer repetitions  {}\n", s.outer_repetitions);
  fmt::print("  test time          {} microseconds\n", s.test_time_us);
  fmt::print("  delay time         {} microseconds\n", s.delay_time_us);
  fmt::print("  delay length       {} iterations\n", s.delay_iterations);

  const Reference* shown = nullptr;
  for (const Result& r : report.results) {
    if (r.construct->reference != shown) print_reference(r);
    shown = r.construct->reference;
    print_result(r);
  }
}

void print_json(const Report& report) {
  const Settings& s = report.settings;
  std::vector<Json> benchmarks;
  for (const Result& r : report.results) benchmarks.push_back(to_json(r));
  const Json json = {{"program", "syncbench"},
                     {"runtime", report.runtime},
                     {"threads", s.threads},
                     {"outer_repetitions", s.outer_repetitions},
                     {"test_time_us", s.test_time_us},
                     {"delay_time_us", s.delay_time_us},
                     {"delay_iterations", s.delay_iterations},
                     {"benchmarks", benchmarks}};
  json.print();
}

void print_csv(const Report& report) {
  fmt::print(
      "name,threads,runtime,outer_repetitions,inner_repetitions,overhead_median_us,"
      "overhead_mean_us,overhead_interval95_us,time_mean_us,time_median_us,time_min_us,"
      "time_max_us,time_sd_us,time_interval95_us,outliers,reference_mean_us,"
      "reference_median_us,reference_sd_us\n");
  for (const Result& r : report.results) {
    const Summary& t = r.test.time_us;
    const Summary& ref = r.reference.time_us;
    fmt::print("{},{},\"{}\",{},{},{},{},{},", r.construct->name, report.settings.threads,
               report.runtime, report.settings.outer_repetitions, r.test.inner_repetitions,
               r.overhead_us.median, r.overhead_us.mean, r.overhead_us.interval95);
    fmt::print("{},{},{},{},{},{},{},{},{},{}\n", t.mean, t.median, t.min, t.max, t.sd,
               t.interval95, t.outliers, ref.mean, ref.median, ref.sd);
  }
}

}  // namespace epcc
