#include "runtime-hooks/folding/fold_counts.h"

#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/thread_state.h"

namespace muster {

const FoldCounts& fold_counts() {
  static FoldCounts sum;
  the_fold().count(sum);
  sum.folded = 0;
  for (std::uint64_t& count : sum.unfolded) count = 0;
  for (const ThreadState* state = first_thread_state(); state != nullptr; state = state->next) {
    sum.folded += state->folded.read();
    for (unsigned i = 0; i < kUnfoldedReasons; ++i) sum.unfolded[i] += state->unfolded[i].read();
  }
  return sum;
}

}  // namespace muster
