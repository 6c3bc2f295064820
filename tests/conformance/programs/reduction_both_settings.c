// Two settings that exclude each other: the runtime warns, and keeps its reductions.
// muster-test: threads 9
// muster-test: env KMP_FORCE_REDUCTION=tree
// muster-test: env KMP_DETERMINISTIC_REDUCTION=true
// muster-test: replaced >= 3000
// muster-test: skip gcc-O2: its reductions are no calls of the runtime
// muster-test: reason reduction settings
// muster-test: skip gnu-O2: its reductions are no calls of the runtime
#include "reductions.h"

int main(void) { return verdict("reduction_both_settings", all_teams()); }
