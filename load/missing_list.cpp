#include "load/missing_list.h"

namespace muster {

MissingList list_missing(const LoadSnapshot& load) {
  MissingList out;
  for (const LoadSourceName& source : kLoadSourceNames) {
    if (load.looks == 0 || load.has(source.source)) continue;
    const bool of_groups =
        source.source == LoadSource::kQuota || source.source == LoadSource::kThrottling;
    if (of_groups && !load.has(LoadSource::kGroups)) continue;  // in the list already
    out.add({.what = source.what, .effect = source.effect});
  }
  for (unsigned i = 0; i < kMissingKinds; ++i) {
    const auto what = static_cast<Missing>(i);
    const std::uint64_t times = times_missing(what);
    if (times == 0) continue;
    out.add({.what = kMissingNames[i].what,
             .effect = kMissingNames[i].effect,
             .error = error_name(missing_error(what)),
             .times = times});
  }
  return out;
}

}  // namespace muster
