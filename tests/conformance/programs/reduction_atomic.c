// All reductions by atomic operations.
// muster-test: threads 9
// muster-test: env KMP_FORCE_REDUCTION=atomic
// muster-test: replaced >= 3000
#include "reductions.h"

int main(void) { return verdict("reduction_atomic", all_teams()); }
