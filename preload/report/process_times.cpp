#include "preload/report/process_times.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "platform/clock.h"

namespace muster {
namespace {

LoadedAt g_loaded;

struct Start {
  timespec date;
  std::uint64_t monotonic;
} g_start;

void start_now() {
  clock_gettime(CLOCK_REALTIME, &g_start.date);
  g_start.monotonic = monotonic_ns();
}

__attribute__((constructor)) void note_load() {
  start_now();
  g_loaded = {getpid(), g_start.date};
}

// The kernel's encoding of another process's CPU clock (clock_getcpuclockid(3)); that of user time has no name there.
constexpr int kUserTime = 1;
constexpr int kAllTime = 2;
std::uint64_t cpu_ns_of(pid_t process, int kind) {
  return detail::read_cpu_time_ns(static_cast<clockid_t>(~static_cast<unsigned>(process) << 3) |
                                  kind);
}

// Days since 1970-01-01 as a date (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). The C library's
// gmtime_r() takes the lock of the time zones, which a thread that no longer exists may hold.
struct Date {
  unsigned year;
  unsigned month;
  unsigned day;
};
Date date_of_day(std::uint64_t day) {
  const std::uint64_t since_march_0 = day + 719'468;
  const std::uint64_t era = since_march_0 / 146'097;
  const auto of_era = static_cast<unsigned>(since_march_0 % 146'097);
  const unsigned year = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
  const unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
  const unsigned month = (5 * of_year + 2) / 153;  // from March
  Date date{};
  date.day = of_year - (153 * month + 2) / 5 + 1;
  date.month = month < 10 ? month + 3 : month - 9;
  date.year = year + static_cast<unsigned>(era) * 400 + (date.month <= 2 ? 1 : 0);
  return date;
}

}  // namespace

const LoadedAt& loaded_at() { return g_loaded; }

ProcessTimes process_times(pid_t process) {
  ProcessTimes times;
  times.started = g_start.date;
  clock_gettime(CLOCK_REALTIME, &times.ended);
  times.elapsed_ns = monotonic_ns() - g_start.monotonic;
  const std::uint64_t all_ns = cpu_ns_of(process, kAllTime);
  times.user_ns = std::min(all_ns, cpu_ns_of(process, kUserTime));
  times.system_ns = all_ns - times.user_ns;
  return times;
}

void process_times_after_fork_in_child() { start_now(); }

const char* date_of(const timespec& time, DateText& out) {
  const auto seconds = static_cast<std::uint64_t>(time.tv_sec);
  const Date date = date_of_day(seconds / 86'400);
  const auto of_day = static_cast<unsigned>(seconds % 86'400);
  std::snprintf(out, sizeof(out), "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ", date.year, date.month,
                date.day, of_day / 3'600, of_day / 60 % 60, of_day % 60,
                static_cast<unsigned>(time.tv_nsec / 1'000));
  return out;
}

}  // namespace muster
