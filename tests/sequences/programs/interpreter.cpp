// Each step is compiled once, and called by pointer.
#include "steps.h"

namespace sequences {

#define SEQUENCES_ENTRY(name) {#name, name<0>},
static const Entry table[] = {SEQUENCES_STEPS(SEQUENCES_ENTRY)};
const Entry* const entries = table;
const int entry_count = sizeof table / sizeof table[0];

}  // namespace sequences
