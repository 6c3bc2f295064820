#include "preload/launcher/thread_facts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "platform/clock.h"
#include "platform/cpu_times.h"
#include "platform/number_text.h"

namespace muster::launcher {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr nanoseconds kLook{100'000'000};

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
using UsedTimes = std::array<std::uint64_t, AffinityMask::kMaxCpus>;

UsedTimes used_times(const std::string& file) {
  UsedTimes times;
  times.fill(kUnknown);
  visit_cpu_times(Files::kOpen, file.c_str(), [&times](const CpuTimes& of) {
    if (of.cpu < times.size()) times[of.cpu] = of.used_ns;
  });
  return times;
}

unsigned count_busy(const FactSources& sources) {
  AffinityMask allowed;
  if (!sources.load.read_affinity(allowed)) return 0;
  const std::string file = std::string(sources.load.root) + kCpuTimesFile;
  const UsedTimes before = used_times(file);
  const auto passed_ns = static_cast<std::uint64_t>(sources.sleep(kLook).count());
  const UsedTimes after = used_times(file);
  unsigned busy = 0;
  for (unsigned cpu = 0; cpu < before.size(); ++cpu) {
    if (!allowed.has(cpu) || before[cpu] == kUnknown || after[cpu] == kUnknown) continue;
    if (after[cpu] >= before[cpu] + passed_ns * 4 / 5) ++busy;
  }
  return busy;
}

// The first number of "4,2". 0 if there is none: then the variable is the runtime's to complain about.
unsigned first_number(const char* text) {
  if (text == nullptr) return 0;
  while (*text == ' ' || *text == '\t') ++text;
  std::uint64_t number = 0;
  constexpr std::uint64_t kMost = 0x7FFF'FFFF;
  return take_number(text, number) ? static_cast<unsigned>(std::min(number, kMost)) : 0;
}

ThreadFacts::Limit user_limit(const ReadVariable& variable) {
  ThreadFacts::Limit least;
  for (const char* name : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"}) {
    const unsigned threads = first_number(variable(name));
    if (threads != 0 && (least.threads == 0 || threads < least.threads)) least = {threads, name};
  }
  return least;
}

}  // namespace

FactSources FactSources::own() {
  return {.variable = [](const char* name) { return std::getenv(name); },
          .sleep = [](nanoseconds time) -> nanoseconds {
            const auto began = steady_clock::now();
            std::this_thread::sleep_for(time);
            return steady_clock::now() - began;
          }};
}

ThreadFacts read_thread_facts(const FactSources& sources) {
  const auto sensor = std::make_unique<LoadSensor>(sources.load);
  sensor->look(monotonic_ns());
  const LoadSnapshot load = sensor->last();
  ThreadFacts facts{.allowed_cpus = load.allowed_cpus,
                    .quota_millicpus = load.quota_millicpus,
                    .quota_known = load.has(LoadSource::kQuota),
                    .user = user_limit(sources.variable)};
  if (load.competitors() != 0 && load.allowed_cpus > 2) {
    facts.busy_cpus = std::min(count_busy(sources), load.competitors());
  }
  return facts;
}

}  // namespace muster::launcher
