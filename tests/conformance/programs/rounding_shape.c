// Rounding where the runtime's tree has another shape: its own, which Muster does not follow.
// muster-test: threads 19
// muster-test: env KMP_REDUCTION_BARRIER=2,2
// muster-test: reason reduction settings
// muster-test: any-replacement
// muster-test: skip gcc-O2: its reductions have no fixed order
// muster-test: skip gnu-O2: its reductions have no fixed order
#include "rounding.h"

int main(void) { return verdict("rounding_shape", (long long)sums(5)); }
