// Reading the environment, once: what is bad is said in one line and replaced by the default.
#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "preload/message.h"
#include "preload/options.h"

namespace muster {
namespace {

Settings g_settings;
bool g_complains = true;
char g_report[kMaxReportPath + 1];
char g_counters[kMaxCounters + 1];
char g_papi[kMaxReportPath + 1];

constexpr std::size_t kShownLength = 64;  // of a bad value

void complain(const char* name, const char* value) {
  for (const Option& option : kOptions) {
    if (std::strcmp(option.name, name) != 0) continue;
    const bool cut = std::strlen(value) > kShownLength;
    message("%s: bad value '%.*s%s' (may be %s); using %s", name, static_cast<int>(kShownLength),
            value, cut ? "..." : "", option.values,
            option.fallback[0] != '\0' ? option.fallback : "none");
  }
}

// Calls parse(value) for a variable that is set.
template <class Parse>
void take(const char* name, Parse&& parse) {
  const char* value = std::getenv(name);
  if (value != nullptr && !parse(value) && g_complains) complain(name, value);
}

bool keep_report(const char* value) {
  if (!parse_report(value)) return false;
  std::strncpy(g_report, value, kMaxReportPath);
  g_settings.report = g_report;
  return true;
}

bool keep_counters(const char* value) {
  if (!parse_counters(value)) return false;
  std::strncpy(g_counters, value, kMaxCounters);
  g_settings.counters = g_counters;
  return true;
}

bool keep_papi(const char* value) {
  if (!parse_papi(value)) return false;
  std::strncpy(g_papi, value, kMaxReportPath);
  g_settings.papi = g_papi;
  return true;
}

void read_all() {
  take("MUSTER", [](const char* value) { return parse_switch(value, g_settings.on); });
  if (!g_settings.on) return;
  take("MUSTER_BARRIER",
       [](const char* value) { return parse_barrier(value, g_settings.barrier); });
  take("MUSTER_WAIT", [](const char* value) { return parse_wait(value, g_settings.wait); });
  take("MUSTER_SLICE", [](const char* value) { return parse_slice(value, g_settings.slice_us); });
  take("MUSTER_PLACE", [](const char* value) { return parse_place(value, g_settings.place); });
  take("MUSTER_YIELD", [](const char* value) { return parse_yield(value, g_settings.yield); });
  take("MUSTER_FORKJOIN",
       [](const char* value) { return parse_fork_join(value, g_settings.fork_join); });
  take("MUSTER_WAIT_BASE",
       [](const char* value) { return parse_microseconds(value, g_settings.wait_base_us); });
  take("MUSTER_WAIT_COND",
       [](const char* value) { return parse_microseconds(value, g_settings.wait_cond_us); });
  take("MUSTER_REPORT", keep_report);
  take("MUSTER_COUNTERS", keep_counters);
  take("MUSTER_PAPI", keep_papi);
  take("MUSTER_VERBOSE", [](const char* value) { return parse_flag(value, g_settings.verbose); });
}

}  // namespace

const Settings& settings() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_all);
  return g_settings;
}

const Settings& settings_at_end() {
  g_complains = false;
  return settings();
}

}  // namespace muster
