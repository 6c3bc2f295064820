#include "tests/model/explorer.h"

#include <random>

#include "tests/model/visited.h"

namespace muster::model {
namespace {

struct Frame {
  std::size_t snapshot = 0;
  std::size_t choices = 0;  // its first; they end where the next frame's begin
  std::size_t end = 0;
  std::size_t next = 0;
  bool went_on = false;
  bool time_passed = false;
};

class Search {
 public:
  Search(const Settings& settings, const MakeProgram& make, Assumed& assumed)
      : settings_(settings),
        assumed_(assumed),
        random_(settings.seed),
        world_(settings.threads, settings.fences, settings.mutation, assumed) {
    g_world = &world_;
    program_ = make();
    world_.begin([this](unsigned me) { program_->thread(me); }, settings.wakes_for_nothing,
                 settings.stale);
  }
  ~Search() { g_world = nullptr; }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  Report run() {
    if (world_.fault() != Fault::kNone) return found();
    world_.save(first_);
    if (!visit()) return out_;
    while (!frames_.empty()) {
      if (!step()) break;
    }
    out_.states = visited_.size();
    return out_;
  }

 private:
  // False if the search is over.
  bool step() {
    Frame& frame = frames_.back();
    if (frame.next == frame.end) {
      if (frame.went_on || world_.all_done()) {
        pop();
        return true;
      }
      world_.restore(snapshots_.data() + frame.snapshot);
      if (world_.all_done()) {
        pop();
        return true;
      }
      if (frame.time_passed) return is_dead();
      frame.time_passed = true;
      choices_.resize(frame.choices);
      world_.choices(choices_, /*time_passes=*/true);
      frame.next = frame.choices;
      frame.end = choices_.size();
      return frame.next != frame.end || is_dead();
    }
    if (!is_here_) world_.restore(snapshots_.data() + frame.snapshot);
    is_here_ = false;
    const Choice choice = choices_[frame.next++];
    const bool leads_on = world_.take(choice);
    ++out_.transitions;
    if (world_.fault() != Fault::kNone) {
      note_fault(world_.fault(), world_.fault_text());
      return false;
    }
    if (!leads_on) return true;
    frame.went_on = true;
    if (!visit()) return false;
    if (!assumed_.holds) return false;
    if (visited_.size() >= settings_.most_states) {
      out_.complete = false;
      return false;
    }
    return true;
  }

  // Steps that no other thread can observe are taken at once. False if one of them led to a fault.
  bool go_on_alone() {
    for (Choice choice; settings_.takes_lonely_steps && world_.lonely(choice);) {
      if (telling_) tell(choice);
      world_.take(choice);
      ++out_.transitions;
      if (world_.fault() == Fault::kNone) continue;
      if (!telling_) note_fault(world_.fault(), world_.fault_text());
      return false;
    }
    world_.make_canonical();
    return true;
  }

  bool visit() {
    if (!go_on_alone()) return false;
    if (frames_.size() >= settings_.longest) {
      out_.complete = false;
      return true;
    }
    if (!visited_.insert(hash_of(world_.state()))) return true;
    if (world_.all_done()) {
      ++out_.ends;
      program_->ended();
      return true;
    }
    Frame frame;
    frame.snapshot = snapshots_.size();
    frame.choices = frame.next = choices_.size();
    world_.choices(choices_, /*time_passes=*/false);
    frame.end = choices_.size();
    if (settings_.seed != 0) {
      std::shuffle(choices_.begin() + static_cast<std::ptrdiff_t>(frame.choices), choices_.end(),
                   random_);
    }
    world_.save(snapshots_);
    frames_.push_back(frame);
    out_.longest = std::max(out_.longest, frames_.size());
    is_here_ = true;
    return true;
  }

  void pop() {
    snapshots_.resize(frames_.back().snapshot);
    choices_.resize(frames_.back().choices);
    frames_.pop_back();
    is_here_ = false;
  }

  bool is_dead() {
    note_fault(Fault::kDeadlock, "");
    return false;
  }

  Report found() {
    out_.fault = world_.fault();
    out_.text = world_.fault_text();
    return out_;
  }

  void note_fault(Fault fault, const std::string& text) {
    out_.fault = fault;
    out_.text = text;
    if (assumed_.holds)
      tell();  // else the same choices lead elsewhere now, and it is explored again
  }

  void tell();
  void tell(const Choice& choice);

  const Settings settings_;
  Assumed& assumed_;
  std::mt19937_64 random_;
  World world_;
  std::unique_ptr<Program> program_;
  Report out_;
  Visited visited_;
  std::vector<Frame> frames_;
  std::vector<Choice> choices_;
  std::vector<std::byte> snapshots_;
  std::vector<std::byte> first_;  // the initial state
  bool telling_ = false;
  bool is_here_ = false;  // the world is in the state of the last frame
};

void Search::tell(const Choice& choice) {
  const Operation operation = world_.pending(choice.thread);
  std::string line = "thread " + std::to_string(choice.thread) + ": ";
  std::uint64_t value = 0;
  const State& state = world_.state();
  const std::size_t old = state.length(choice.location) - 1U - choice.position;
  if (choice.way != Way::kForNothing && choice.way != Way::kTimeOut) {
    value = state.at(choice.location, choice.position).value;
  }
  line += text_of(sites()[operation.site]);
  switch (choice.way) {
    case Way::kPlain:
    case Way::kFailed:
      if (operation.kind >= Kind::kLoad && operation.kind <= Kind::kCompareExchange) {
        line += " w" + std::to_string(operation.location);
        if (operation.kind == Kind::kLoad) line += " = " + std::to_string(value);
        if (operation.kind == Kind::kStore) line += " := " + std::to_string(operation.value);
        if (operation.kind == Kind::kAdd) {
          line += " " + std::to_string(value) + " += " + std::to_string(operation.value);
        }
        if (operation.kind >= Kind::kExchange) {
          line += " " + std::to_string(value) + " -> " + std::to_string(operation.value);
        }
        if (choice.way == Way::kFailed) line += " failed";
        if (old != 0) line += " (" + std::to_string(old) + " behind the newest)";
      }
      break;
    case Way::kNews:
      line += ": polls until w" + std::to_string(choice.location) + " = " + std::to_string(value);
      break;
    case Way::kNoNews:
      line += ": polls to the end of the loop and sees nothing new";
      break;
    case Way::kSleep:
      line += " w" + std::to_string(operation.location) + " = " + std::to_string(value) +
              ": falls asleep";
      break;
    case Way::kTurnedAway:
      line += " w" + std::to_string(operation.location) + " = " + std::to_string(value) +
              ": turned away";
      break;
    case Way::kForNothing:
      line += ": wakes up for no reason";
      break;
    case Way::kTimeOut:
      line += ": its sleep reaches its limit";
      break;
  }
  out_.trace.push_back(line);
}

// Replays the choices from the beginning and records them.
void Search::tell() {
  std::vector<Choice> path;
  for (const Frame& frame : frames_) {
    if (frame.next > frame.choices) path.push_back(choices_[frame.next - 1]);
  }
  if (out_.fault == Fault::kDeadlock) path.resize(frames_.size() - 1);
  telling_ = true;
  world_.restore(first_.data());
  if (!go_on_alone()) return;
  for (const Choice& choice : path) {
    tell(choice);
    world_.take(choice);
    if (world_.fault() != Fault::kNone || !go_on_alone()) break;
  }
  if (out_.fault != Fault::kDeadlock) return;
  for (unsigned i = 0; i < world_.threads(); ++i) {
    const ThreadState& self = world_.state().thread[i];
    if (self.status == Status::kDone) continue;
    out_.text += (out_.text.empty() ? "thread " : "; thread ") + std::to_string(i) +
                 (self.status == Status::kAsleep ? " sleeps at " : " stays at ") +
                 text_of(sites()[world_.pending(i).site]) + " w" +
                 std::to_string(world_.pending(i).location);
  }
}

}  // namespace

Report explore(const Settings& settings, const MakeProgram& make) {
  Assumed assumed;
  for (Site& site : sites()) site.met = false;
  for (;;) {
    assumed.holds = true;
    Search search(settings, make, assumed);
    Report report = search.run();
    if (!assumed.holds) continue;
    for (std::size_t i = 1; i < sites().size(); ++i) {
      if (sites()[i].met) report.sites.push_back(static_cast<std::uint16_t>(i));
    }
    return report;
  }
}

Report shortened(Report report, Settings settings, const MakeProgram& make) {
  constexpr std::uint64_t kSearches = 40;
  settings.most_states = 100'000;
  for (settings.seed = 1; settings.seed <= kSearches; ++settings.seed) {
    settings.longest = report.trace.size();
    Report other = explore(settings, make);
    if (other.fault == Fault::kNone || other.trace.size() >= report.trace.size()) continue;
    other.states = report.states;
    other.transitions = report.transitions;
    report = std::move(other);
  }
  return report;
}

}  // namespace muster::model
