#include "counters/kernel_events.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include <cctype>
#include <cstring>
#include <string_view>

#include "platform/read_file.h"

namespace muster {
namespace {

bool equal(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::toupper(static_cast<unsigned char>(left[i])) !=
        std::toupper(static_cast<unsigned char>(right[i])))
      return false;
  }
  return true;
}

constexpr std::string_view kLongPrefix = "perf::PERF_COUNT_SW_";

}  // namespace

const KernelEventName* kernel_event(const char* name) {
  const std::string_view asked = name;
  for (const KernelEventName& known : kKernelEvents) {
    if (equal(asked, known.name)) return &known;
    if (asked.size() > kLongPrefix.size() &&
        equal(asked.substr(0, kLongPrefix.size()), kLongPrefix) &&
        equal(asked.substr(kLongPrefix.size()), known.other)) {
      return &known;
    }
  }
  return nullptr;
}

int MigrationCounter::open() {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_MIGRATIONS;
  constexpr long kThisThread = 0;
  constexpr long kAnyCpu = -1;
  constexpr long kNoGroup = -1;
  const long descriptor = detail::quiet_syscall(SYS_perf_event_open, &attributes, kThisThread,
                                                kAnyCpu, kNoGroup, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return static_cast<int>(-descriptor);
  const long known = detail::quiet_syscall(SYS_ioctl, descriptor, PERF_EVENT_IOC_ID, &id_);
  if (known < 0) {
    close_quietly(descriptor);
    return static_cast<int>(-known);
  }
  descriptor_ = descriptor;
  return 0;
}

bool MigrationCounter::is_ours() const {
  std::uint64_t id = 0;
  return descriptor_ >= 0 &&
         detail::quiet_syscall(SYS_ioctl, descriptor_, PERF_EVENT_IOC_ID, &id) == 0 && id == id_;
}

bool MigrationCounter::read(std::uint64_t& value) const {
  return is_ours() && detail::quiet_syscall(SYS_read, descriptor_, &value, sizeof(value)) ==
                          static_cast<long>(sizeof(value));
}

void MigrationCounter::close() {
  if (is_ours()) close_quietly(descriptor_);
  descriptor_ = -1;
}

bool KernelCounts::read(KernelEvent event, std::uint64_t& value) {
  if (event == KernelEvent::kMigrations) return migrations_.read(value);
  if (event == KernelEvent::kTaskClock) {
    timespec time{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return false;
    value = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
            static_cast<std::uint64_t>(time.tv_nsec);
    return true;
  }
  if (!has_usage_) {
    rusage usage{};
    if (detail::quiet_syscall(SYS_getrusage, RUSAGE_THREAD, &usage) != 0) return false;
    minor_faults_ = static_cast<std::uint64_t>(usage.ru_minflt);
    major_faults_ = static_cast<std::uint64_t>(usage.ru_majflt);
    switches_ = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
    has_usage_ = true;
  }
  if (event == KernelEvent::kContextSwitches) {
    value = switches_;
  } else {
    value = (event == KernelEvent::kMajorFaults ? 0 : minor_faults_) +
            (event == KernelEvent::kMinorFaults ? 0 : major_faults_);
  }
  return true;
}

}  // namespace muster
