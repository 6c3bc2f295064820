// Each operation of the sources weakened, one at a time: some program must show it.
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

struct Survivor;

struct Mutant {
  std::string place;  // folder/file.h:line operation order
  Change change = Change::kNone;
  bool caught = false;
  std::string by;                      // the run that caught it, and what went wrong
  std::uint64_t states = 0;            // explored without finding anything, where it was not caught
  const Survivor* survivor = nullptr;  // known to be none that is caught
  unsigned runs = 0;                   // that meet the place
};
std::string name_of(const Mutant& mutant);

struct Tried {
  std::vector<Report> unbroken;  // what the runs find without a change
  std::vector<Mutant> mutants;
};

// All mutants of whatever the runs meet, each tried on those that meet it, the smallest first, until one
// catches it; only at places whose name contains `where`. Known survivors only when `survivors_too`: they take all runs.
Tried try_mutants(const std::vector<Run>& runs, bool survivors_too, const std::string& where,
                  const std::function<void(const Mutant&)>& told);

}  // namespace muster::model
