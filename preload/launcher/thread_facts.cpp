#include "preload/launcher/thread_facts.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "load/cpu_groups.h"
#include "platform/clock.h"
#include "platform/cpu_times.h"
#include "platform/number_text.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

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

// The path from `folder` to the cgroup of this process, `levels` below; nothing if that is not found.
std::string path_to_own_group(const fs::path& folder, unsigned levels) {
  if (levels == 0) {
    std::ifstream members(folder / "cgroup.procs");
    for (long process; members >> process;) {
      if (process == getpid()) return "/";
    }
    return "";
  }
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code unknown;
    if (!at->is_directory(unknown)) continue;
    const std::string below = path_to_own_group(at->path(), levels - 1);
    if (!below.empty()) return "/" + at->path().filename().string() + (levels == 1 ? "" : below);
  }
  return "";
}

// The quota that the sensor could not read, because names of groups are hidden by a cgroup namespace.
void read_hidden_groups(const char* root, ThreadFacts& facts) {
  char buffer[4096];
  CpuGroups groups;
  if (!groups.find(root, buffer, sizeof(buffer)) || groups.hidden_levels() == 0) return;
  const std::string path = path_to_own_group(groups.folder(), groups.hidden_levels());
  if (path.empty() || !groups.enter(path.c_str())) return;
  const CpuGroups::Reading reading = groups.read(buffer, sizeof(buffer), Files::kOpen);
  facts.quota_millicpus = reading.quota_millicpus;
  facts.quota_known = !reading.quota_failed;
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
  if (!facts.quota_known) read_hidden_groups(sources.load.root, facts);
  if (load.competitors() != 0 && load.allowed_cpus > 2) {
    facts.busy_cpus = std::min(count_busy(sources), load.competitors());
  }
  return facts;
}

}  // namespace muster::launcher
