// All reductions by the tree, in teams of the usual size.
// muster-test: env KMP_FORCE_REDUCTION=tree
// muster-test: replaced >= 200
#include "reductions.h"

int main(void) { return verdict("reduction_tree_team", team_of(omp_get_max_threads())); }
