// syncbench's three output formats. All of them go to stdout and hold the same numbers.
#pragma once

#include <string>
#include <vector>

#include "epcc/measure.h"

namespace epcc {

struct Report {
  Settings settings;
  std::string runtime;
  std::vector<Result> results;
};

void print_text(const Report& report);
void print_json(const Report& report);
void print_csv(const Report& report);

}  // namespace epcc
