// All reductions by the tree, also in small teams.
// muster-test: threads 9
// muster-test: env KMP_FORCE_REDUCTION=tree
// muster-test: replaced >= 3000
#include "reductions.h"

int main(void) { return verdict("reduction_tree", all_teams()); }
