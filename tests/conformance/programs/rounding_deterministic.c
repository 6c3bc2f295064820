// Rounding in teams of any size, with the runtime set to combine in a fixed order.
// muster-test: threads 19
// muster-test: env KMP_DETERMINISTIC_REDUCTION=yes
// muster-test: replaced >= 1000
// muster-test: skip gcc-O2: its reductions have no fixed order
// muster-test: skip gnu-O2: its reductions have no fixed order
#include "rounding.h"

int main(void) { return verdict("rounding_deterministic", (long long)sums(1)); }
