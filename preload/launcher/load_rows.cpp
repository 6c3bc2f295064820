#include "preload/launcher/load_rows.h"

#include <fmt/format.h>

namespace muster::launcher {

std::string load_row(const LoadSnapshot& load) {
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
    cpus += fmt::format(", {} other threads runnable now", load.competitors());
  }
  if (load.stolen_before_ns != 0) {
    cpus += fmt::format(", {:.2f} s stolen by the host so far",
                        static_cast<double>(load.stolen_before_ns) / 1e9);
  }
  return cpus;
}

std::vector<std::string> missing_rows(const MissingList& missing) {
  std::vector<std::string> rows;
  for (const MissingItem& item : missing) {
    const std::string error = item.error != nullptr ? fmt::format(" ({})", item.error) : "";
    rows.push_back(fmt::format("{}{}: {}", item.what, error, item.effect));
  }
  return rows;
}

}  // namespace muster::launcher
