// Rounding in teams above four threads, where the runtime combines in a fixed order by itself.
// muster-test: threads 19
// muster-test: replaced >= 1000
// muster-test: skip gcc-O2: its reductions have no fixed order
// muster-test: skip gnu-O2: its reductions have no fixed order
#include "rounding.h"

int main(void) { return verdict("rounding_large", (long long)sums(5)); }
