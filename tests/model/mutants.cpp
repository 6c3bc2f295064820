#include "tests/model/mutants.h"

#include <algorithm>
#include <numeric>

namespace muster::model {

std::string name_of(const Run& run) {
  constexpr const char* kFences[] = {"", ", symmetric fences", ", no heavy fence"};
  std::string out = name_of(run.subject) + kFences[static_cast<unsigned>(run.settings.fences)];
  if (run.settings.wakes_for_nothing != 0) {
    out += ", " + std::to_string(run.settings.wakes_for_nothing) + " spurious wake-up a thread";
  }
  if (run.settings.stale != kUnlimited) {
    out += ", at most " + std::to_string(run.settings.stale) + " stale choices";
  }
  return out;
}

Report explore(const Run& run) {
  Settings settings = run.settings;
  settings.threads = run.subject.threads;
  return explore(settings, program_of(run.subject));
}

std::string name_of(const Mutant& mutant) { return mutant.place + " -> " + name_of(mutant.change); }

std::vector<Mutant> try_mutants(const std::vector<Run>& runs, std::vector<Report>& unbroken,
                                const std::function<void(const Mutant&)>& told) {
  for (const Run& run : runs) unbroken.push_back(explore(run));
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(unbroken[a].transitions, a) < std::pair(unbroken[b].transitions, b);
  });
  std::vector<Mutant> out;
  const std::size_t known = sites().size();
  for (std::size_t site = 1; site < known; ++site) {
    const auto meets = [&](const Report& report) {
      return std::find(report.sites.begin(), report.sites.end(), site) != report.sites.end();
    };
    if (std::none_of(unbroken.begin(), unbroken.end(), meets)) continue;
    if (sites()[site].file.starts_with("model/")) continue;  // the program's own
    for (const Change change : changes_at(sites()[site])) {
      Mutant mutant{text_of(sites()[site]), change, false, "", 0, 0};
      for (const std::size_t i : order) {
        if (!meets(unbroken[i])) continue;
        Run run = runs[i];
        run.settings.mutation = {static_cast<std::uint16_t>(site), change};
        run.settings.most_states = 40 * unbroken[i].states + 100'000;
        const Report report = explore(run);
        ++mutant.runs;
        mutant.states += report.states;
        if (report.fault == Fault::kNone) continue;
        mutant.caught = true;
        mutant.by = name_of(runs[i]) + ": " + name_of(report.fault);
        break;
      }
      told(mutant);
      out.push_back(mutant);
    }
  }
  return out;
}

}  // namespace muster::model
