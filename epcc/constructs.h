// The OpenMP constructs syncbench can measure, and the serial references they are measured against.
#pragma once

#include <span>
#include <string_view>

namespace epcc {

struct Work {
  long repetitions;  // how often the construct is executed
  long delay;        // the length of the computation inside it, for delay()
  int threads;       // the size of the team
};

using Body = void (*)(const Work&);

struct Reference {
  std::string_view name;
  Body body;
};

struct Construct {
  std::string_view name;   // as --measureonly takes it
  std::string_view title;  // as EPCC's text output has it
  Body body;
  const Reference* reference;
};

std::span<const Construct> constructs();

// Finds a construct by name in any case, spaces standing for underscores; null if there is none.
const Construct* find_construct(std::string_view name);

// The size of the team a plain parallel region gets.
int team_size();

}  // namespace epcc
