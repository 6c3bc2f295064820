// Each operation of the sources weakened, one at a time: some program must fail.
#pragma once

#include <string>
#include <vector>

#include "tests/model/programs.h"

namespace muster::model {

// A program and how it is explored.
struct Run {
  Subject subject;
  Settings settings;
};
std::string name_of(const Run& run);
Report explore(const Run& run);

struct Mutant {
  std::string place;  // folder/file.h:line operation order
  Change change = Change::kNone;
  bool caught = false;
  std::string by;            // the run that caught it, and the fault
  std::uint64_t states = 0;  // explored without a fault, if it was not caught
  unsigned runs = 0;         // that execute the place
};
std::string name_of(const Mutant& mutant);

struct Tried {
  std::vector<Report> unbroken;  // the results of the runs without a change
  std::vector<Mutant> mutants;
};

// Tries all mutants of the operations that the runs execute, each on the runs that execute it, the smallest first,
// until one catches it. Only at places whose name contains `where`.
Tried try_mutants(const std::vector<Run>& runs, const std::string& where,
                  const std::function<void(const Mutant&)>& told);

}  // namespace muster::model
