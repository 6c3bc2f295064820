// What the two ways of counting in are compiled to: instructions.py looks at it.
#include "barriers/counted_add.h"
#include "waiting/memory.h"

namespace muster {

using Counter = NativeMemory::Atomic<Episode>;

extern "C" Episode muster_probe_by_loop(Counter& counter, unsigned threads, Tally& failures);
extern "C" Episode muster_probe_by_loop(Counter& counter, unsigned threads, Tally& failures) {
  return CountByLoop<NativeMemory>::add(counter, threads, failures);
}

extern "C" Episode muster_probe_by_instruction(Counter& counter, unsigned threads, Tally& failures);
extern "C" Episode muster_probe_by_instruction(Counter& counter, unsigned threads,
                                               Tally& failures) {
  return CountByInstruction<NativeMemory>::add(counter, threads, failures);
}

}  // namespace muster
