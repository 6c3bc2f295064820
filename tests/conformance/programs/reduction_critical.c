// All reductions in a critical section.
// muster-test: threads 9
// muster-test: env KMP_FORCE_REDUCTION=critical
// muster-test: replaced >= 3000
#include "reductions.h"

int main(void) { return verdict("reduction_critical", all_teams()); }
