#include "runtime-hooks/folding/fold_counts.h"

#include <atomic>

#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/teams/thread_state.h"

namespace muster {

void FoldCounts::add(const FoldSite& site) {
  // Its thread may be counting meanwhile.
  auto& shared = const_cast<std::uint64_t&>(site.count);
  const std::uint64_t counted = std::atomic_ref(shared).load(std::memory_order_relaxed);
  for (unsigned i = 0; i < site_count; ++i) {
    FoldSite& known = sites[i];
    if (known.caller == site.caller && known.reason == site.reason) {
      known.count += counted;
      return;
    }
  }
  if (site_count == kMaxFoldSites) return;
  sites[site_count++] = {site.symbol, site.caller, site.reason, site.closed, counted};
}

const FoldCounts& fold_counts() {
  static FoldCounts sum;
  sum = {};
  for (const ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    sum.folded += state->folded.read();
    for (unsigned i = 0; i < kUnfoldedReasons; ++i) sum.unfolded[i] += state->unfolded[i].read();
    const Fold* fold = state->root_fold.load(std::memory_order_acquire);
    if (fold != nullptr) fold->add_to(sum);
  }
  return sum;
}

}  // namespace muster
