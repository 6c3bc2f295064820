#include "preload/launcher/load_rows.h"

#include <fmt/format.h>

namespace muster::launcher {

std::vector<std::string> load_rows(const LoadSnapshot& load) {
  std::string cpus =
      fmt::format("{} CPU{} allowed", load.allowed_cpus, load.allowed_cpus == 1 ? "" : "s");
  if (load.quota_millicpus != 0) {
    cpus += fmt::format(", a quota of {:.2f} CPUs", load.quota_millicpus / 1000.0);
    if (load.has(LoadSource::kThrottling)) {
      cpus += fmt::format(" (throttled {} times so far)", load.throttled_before);
    }
  } else {
    cpus += load.has(LoadSource::kQuota) ? ", no quota" : ", no quota seen";
  }
  if (load.has(LoadSource::kRunnable)) {
    cpus += fmt::format(", {} other threads runnable now", load.strangers());
  }
  std::vector<std::string> rows{cpus};
  std::string missing;
  for (const LoadSourceName& source : kLoadSourceNames) {
    if (!load.has(source.source)) missing += std::string(missing.empty() ? "" : ", ") + source.name;
  }
  if (!missing.empty()) rows.push_back("unavailable: " + missing);
  return rows;
}

}  // namespace muster::launcher
