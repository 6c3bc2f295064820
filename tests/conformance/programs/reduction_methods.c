// Reductions by the method that the runtime chooses: atomics in small teams, the tree in others.
// muster-test: threads 9
// muster-test: replaced >= 3000
#include "reductions.h"

int main(void) { return verdict("reduction_methods", all_teams()); }
