// Which of the faults of source_mutants.py is in force; 0: none.
#pragma once

namespace muster::chaos {

inline unsigned source_mutant = 0;
inline bool is_faulty(unsigned number) { return source_mutant == number; }

}  // namespace muster::chaos
