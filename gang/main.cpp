// gang: runs programs in turns, each gang of processes and threads alone on its processors, as the
// user-space gang scheduler of Peter et al. (section 3.1) did. README.md explains it.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <string>

#include "gang/command_line.h"
#include "gang/priorities.h"
#include "gang/report.h"
#include "gang/scheduler.h"

int main(int argc, char** argv) try {
  const gang::CommandLine line = gang::parse_or_exit(argc, argv);
  const int plain = gang::inherited_policy();
  gang::Mechanism mechanism = gang::Mechanism::kSignals;
  if (line.mechanism != gang::Mechanism::kSignals) {
    const std::string why_not = gang::why_no_priorities(plain);
    if (why_not.empty()) {
      mechanism = gang::Mechanism::kPriorities;
    } else if (line.mechanism) {
      fmt::print(stderr, "gang: --by priorities: {}\n", why_not);
      return gang::kInternalError;
    }
  }
  gang::enter_short_slices();
  gang::Scheduler scheduler(line, mechanism, plain);
  const int status = scheduler.run();
  if (!line.report.empty()) {
    const std::string trouble = gang::write_report(scheduler.report(), line.report);
    if (!trouble.empty()) {
      fmt::print(stderr, "gang: no report: {}\n", trouble);
      return status != 0 ? status : gang::kInternalError;
    }
  }
  return status;
} catch (const std::exception& error) {
  fmt::print(stderr, "gang: {}\n", error.what());
  return gang::kInternalError;
}
