#include "load/load_sensor.h"

#include <algorithm>
#include <cstring>

#include "platform/join_text.h"
#include "platform/kept_files.h"
#include "platform/number_text.h"

namespace muster {
namespace {

void mark(LoadSnapshot& snapshot, LoadSource source, bool unavailable) {
  const auto bit = static_cast<std::uint32_t>(source);
  snapshot.unavailable = unavailable ? snapshot.unavailable | bit : snapshot.unavailable & ~bit;
}

// By how much a count of the kernel has grown since `before`; a smaller count was reset.
std::uint64_t growth(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;
}

constinit LoadSensor g_sensor({.opens_files = false});

}  // namespace

LoadSensor& process_load_sensor() { return g_sensor; }

bool LoadSensor::look_if_free(std::uint64_t now_ns, Files how) {
  if (looking_.exchange(true, std::memory_order_acquire)) return false;
  // Set first, so that threads that come during the look do not try to look, too.
  next_look_ns_.store(now_ns + kLookEveryNs, std::memory_order_relaxed);
  how_ = how;
  observe(now_ns, current_);
  std::uint64_t words[kWords];
  std::memcpy(words, &current_, sizeof(words));
  auto& slot = slots_[current_.looks % 2];
  // Release: a reader that sees one of these words also sees that its own slot is no longer the
  // last one, and tries again.
  for (std::size_t i = 0; i < kWords; ++i) slot[i].store(words[i], std::memory_order_release);
  looks_.store(current_.looks, std::memory_order_release);
  looking_.store(false, std::memory_order_release);
  return true;
}

LoadSnapshot LoadSensor::last() const {
  for (;;) {
    const std::uint64_t number = looks();
    std::uint64_t words[kWords];
    const auto& slot = slots_[number % 2];
    for (std::size_t i = 0; i < kWords; ++i) words[i] = slot[i].load(std::memory_order_acquire);
    if (looks_.load(std::memory_order_relaxed) != number) continue;  // 10 ms have passed: try again
    LoadSnapshot out;
    std::memcpy(&out, words, sizeof(out));
    return number == 0 ? LoadSnapshot{} : out;
  }
}

bool LoadSensor::was_throttled(std::uint64_t begin_ns, std::uint64_t end_ns) {
  if (!has_quota_.load(std::memory_order_relaxed)) return false;
  look(end_ns, Files::kKept, kLookForGapEveryNs);
  const std::uint64_t at_ns = throttled_at_ns_.load(std::memory_order_relaxed);
  return at_ns > begin_ns && at_ns < end_ns + kLookEveryNs;  // or the clock went back
}

bool LoadSensor::was_stolen(std::uint64_t begin_ns, std::uint64_t end_ns,
                            std::uint64_t tolerated_ns) {
  if (looking_.exchange(true, std::memory_order_acquire))
    return some_stolen_.load(std::memory_order_relaxed);
  bool stolen = false;
  if (current_.looks != 0) {
    how_ = sources_.opens_files ? Files::kOpen : Files::kKept;
    if (stolen_.read_is_due(end_ns)) read_stolen(end_ns);
    stolen =
        stolen_.any() && stolen_.explains(sources_.current_cpu(), begin_ns, end_ns, tolerated_ns);
  }
  looking_.store(false, std::memory_order_release);
  return stolen;
}

void LoadSensor::after_fork_in_child() {
  // A look may have been under way: what it had stored in its slot was never published.
  looking_.store(false, std::memory_order_relaxed);
  current_ = last();
  next_look_ns_.store(0, std::memory_order_relaxed);
  searched_ns_ = 0;
  team_threads_.store(0, std::memory_order_relaxed);
  team_asleep_.store(0, std::memory_order_relaxed);
  team_cpus_.store(0, std::memory_order_relaxed);
}

void LoadSensor::observe(std::uint64_t now_ns, LoadSnapshot& out) {
  out.taken_ns = now_ns;
  ++out.looks;
  out.allowed_cpus = std::max(sources_.allowed_cpus(), team_cpus_.load(std::memory_order_relaxed));
  out.team_threads = team_threads_.load(std::memory_order_relaxed);
  // In the child of a fork threads may be woken that were asleep in the parent.
  const std::int32_t asleep = std::max(0, team_asleep_.load(std::memory_order_relaxed));
  out.team_asleep = static_cast<std::uint32_t>(asleep);
  observe_runnable(out);
  const std::uint64_t every_ns = out.team_asleep == 0 ? kLookEveryNs : 2 * kLookEveryNs;
  if (averaged_ns_ == 0 || now_ns - averaged_ns_ >= every_ns) {
    averaged_ns_ = now_ns;
    competitors_.see(out.competitors(), out.team_threads, out.allowed_cpus);
  }
  observe_groups(now_ns, out);
  if (how_ != Files::kKept) observe_pressure(out);
  observe_stolen(out);
}

// The whole file in the second half of the scratch; its length or minus the error number.
long LoadSensor::read_source(const char* name, char*& text) {
  constexpr std::size_t kHalf = kScratch / 2;
  join(scratch_, kHalf, sources_.root, name);
  text = scratch_ + kHalf;
  return read_file(how_, scratch_, text, kHalf);
}

// "0.36 0.91 1.05 3/214 7183": three loads, then runnable threads and all threads. /proc/stat has
// the same number in `procs_running`, at more than twice the cost, which grows with CPUs and interrupts.
void LoadSensor::observe_runnable(LoadSnapshot& out) {
  char* text;
  std::uint64_t runnable = 0;
  bool good = read_source("/proc/loadavg", text) > 0;
  const char* at = text;
  for (int load = 0; good && load < 3; ++load) {
    at = std::strchr(at, ' ');
    good = at != nullptr;
    if (good) ++at;
  }
  good = good && take_number(at, runnable) && *at == '/' && runnable <= 0xFFFF'FFFF;
  mark(out, LoadSource::kRunnable, !good);
  out.runnable = good ? static_cast<std::uint32_t>(runnable) : 0;
  if (out.runnable > out.most_runnable) out.most_runnable = out.runnable;
}

void LoadSensor::observe_groups(std::uint64_t now_ns, LoadSnapshot& out) {
  const bool due = searched_ns_ == 0 || now_ns - searched_ns_ >= kSearchEveryNs;
  if (due && how_ != Files::kKept) {
    groups_.find(sources_.root, scratch_, sizeof(scratch_));
    searched_ns_ = now_ns;
  }
  mark(out, LoadSource::kGroups, !groups_.found());
  const CpuGroups::Reading reading = groups_.read(scratch_, sizeof(scratch_), how_);
  mark(out, LoadSource::kQuota, reading.quota_failed || !groups_.found());
  mark(out, LoadSource::kThrottling, reading.throttling_failed || !groups_.found());
  out.quota_millicpus = reading.quota_millicpus;
  has_quota_.store(reading.quota_millicpus != 0, std::memory_order_relaxed);
  if (reading.throttling_failed) return;
  const bool same_groups = counted_throttling_ && counted_ == reading.counted;
  if (same_groups) {
    if (reading.throttled_periods != throttled_periods_)
      throttled_at_ns_.store(now_ns, std::memory_order_relaxed);
    out.throttled_periods += growth(reading.throttled_periods, throttled_periods_);
    out.throttled_ns += growth(reading.throttled_ns, throttled_ns_);
  } else if (out.looks == 1) {
    out.throttled_before = reading.throttled_periods;
  }
  throttled_periods_ = reading.throttled_periods;
  throttled_ns_ = reading.throttled_ns;
  counted_ = reading.counted;
  counted_throttling_ = true;
}

// "some avg10=1.34 avg60=0.51 avg300=0.11 total=3781230"
void LoadSensor::observe_pressure(LoadSnapshot& out) {
  char* text;
  std::uint64_t total = 0;
  const Files before = how_;
  how_ = Files::kOpen;  // it is for the report only: not worth a descriptor
  const bool good = read_source("/proc/pressure/cpu", text) > 0 &&
                    std::strncmp(text, "some ", 5) == 0 && number_behind(text, "total=", total);
  how_ = before;
  mark(out, LoadSource::kPressure, !good);
  if (!good) return;
  if (counted_stalls_) out.stalled_us += growth(total, stalled_us_);
  stalled_us_ = total;
  counted_stalls_ = true;
}

void LoadSensor::read_stolen(std::uint64_t now_ns) {
  join(scratch_, sizeof(scratch_), sources_.root, kCpuTimesFile);
  stolen_.read(how_, scratch_, now_ns);
  some_stolen_.store(stolen_.any(), std::memory_order_relaxed);
}

// Not inlined: with the mask, later looks would need more of a waiting thread's stack.
__attribute__((noinline)) void LoadSensor::begin_stolen() {
  AffinityMask allowed;
  stolen_.begin(sources_.read_affinity(allowed) ? allowed : AffinityMask::all());
}

// The file takes longer to read than all others together: between the first look and the last only for gaps.
void LoadSensor::observe_stolen(LoadSnapshot& out) {
  if (out.looks == 1) begin_stolen();
  if (how_ != Files::kKept) read_stolen(out.taken_ns);
  mark(out, LoadSource::kStolen, !stolen_.known());
  out.stolen_ns = stolen_.total_ns();
  out.stolen_before_ns = stolen_.before_ns();
  out.stolen_gaps = stolen_.gaps();
}

}  // namespace muster
