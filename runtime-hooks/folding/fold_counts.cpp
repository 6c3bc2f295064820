#include "runtime-hooks/folding/fold_counts.h"

namespace muster {
namespace {

FoldCounts g_counts;

}  // namespace

const FoldCounts& fold_counts() { return g_counts; }

}  // namespace muster
