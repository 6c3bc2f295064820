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

namespace {

// If no thread sleeps, nothing that serves sleepers can be missed.
bool can_show(const Run& run, const Site& site) {
  const bool for_sleepers = site.file == "waiting/sleep_word.h" || site.kind == Kind::kFullFence;
  return !for_sleepers || run.subject.wait != WaitKind::kSpin;
}

class Trial {
 public:
  Trial(const std::vector<Run>& runs, const std::vector<Report>& unbroken)
      : runs_(runs), unbroken_(unbroken), order_(runs.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(unbroken[a].transitions, a) < std::pair(unbroken[b].transitions, b);
    });
  }

  bool meets(std::size_t run, std::size_t site) const {
    const auto& met = unbroken_[run].sites;
    return std::find(met.begin(), met.end(), site) != met.end() &&
           can_show(runs_[run], sites()[site]);
  }
  bool is_met(std::size_t site) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (meets(i, site)) return true;
    }
    return false;
  }

  void attempt(std::size_t site, Mutant& mutant) const {
    for (const std::size_t i : order_) {
      if (!meets(i, site)) continue;
      Run run = runs_[i];
      run.settings.mutation = {static_cast<std::uint16_t>(site), mutant.change};
      const Report report = explore(run);
      ++mutant.runs;
      mutant.states += report.states;
      if (report.fault == Fault::kNone) continue;
      mutant.caught = true;
      mutant.by = name_of(runs_[i]) + ": " + name_of(report.fault);
      return;
    }
  }

 private:
  const std::vector<Run>& runs_;
  const std::vector<Report>& unbroken_;
  std::vector<std::size_t> order_;
};

}  // namespace

Tried try_mutants(const std::vector<Run>& runs, const std::string& where,
                  const std::function<void(const Mutant&)>& told) {
  Tried out;
  for (const Run& run : runs) out.unbroken.push_back(explore(run));
  const Trial trial(runs, out.unbroken);
  const std::size_t known = sites().size();
  for (std::size_t site = 1; site < known; ++site) {
    // The program's own operations are not checked.
    if (sites()[site].file.starts_with("model/") || !trial.is_met(site)) continue;
    for (const Change change : changes_at(sites()[site])) {
      Mutant mutant;
      mutant.place = text_of(sites()[site]);
      mutant.change = change;
      if (mutant.place.find(where) == std::string::npos) continue;
      trial.attempt(site, mutant);
      told(mutant);
      out.mutants.push_back(mutant);
    }
  }
  return out;
}

}  // namespace muster::model
