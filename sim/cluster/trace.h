// Events of a run as lines of CSV, for a run small enough to be read.
#pragma once

#include <cstdio>

#include "sim/cluster/run.h"

namespace muster::cluster {

class Trace {
 public:
  explicit Trace(std::FILE* out) : out_(out) {
    std::fputs("time_us,workstation,job,rank,event,priority\n", out_);
  }
  void event(Nanoseconds now, unsigned workstation, unsigned job, unsigned rank, const char* what,
             int priority) {
    std::fprintf(out_, "%.3f,%u,%u,%u,%s,%d\n", static_cast<double>(now) / 1e3, workstation, job,
                 rank, what, priority);
  }

 private:
  std::FILE* out_;
};

}  // namespace muster::cluster
