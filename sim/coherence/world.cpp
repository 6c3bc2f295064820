// Time and threads: which thread runs when. The lines are in transactions.cpp, the requests for
// them in requests.cpp, the store queues in stores.cpp, prefetching in streams.cpp.
#include "sim/coherence/world.h"

#include <algorithm>
#include <stdexcept>

namespace muster::coherence {

World::World(const Machine& machine, unsigned threads, std::uint64_t seed)
    : machine_(machine),
      threads_(threads),
      jitter_(seed),
      homes_(machine.nodes()),
      ports_(machine.nodes()) {
  if (threads > machine.cores) throw std::runtime_error("more threads than processors");
  for (unsigned i = 0; i < threads; ++i) {
    threads_[i].core = i;
    threads_[i].node = machine.node_of(i);
    threads_[i].counts = Counts(machine.levels.size() + 1);
    threads_[i].streams.resize(machine.prefetch_streams);
  }
  unsigned inside = 1;
  for (const Level& level : machine.levels) {
    links_.emplace_back((machine.nodes() + inside - 1) / inside * level.lanes);
    inside = level.nodes;
  }
}

void World::run(const std::function<void(unsigned)>& body) {
  fibers_ = std::make_unique<sim::Fibers>(static_cast<unsigned>(threads_.size()), body);
  left_ = static_cast<unsigned>(threads_.size());
  for (unsigned i = 0; i < left_; ++i) resume_at(i, 0);
  while (left_ > 0 || !events_.empty()) {  // the last stores have to take effect, too
    if (events_.empty()) throw std::runtime_error("all simulated threads wait for ever");
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    take(event);
  }
}

void World::take(const Event& event) {
  Thread& thread = threads_[event.request.thread];
  switch (event.kind) {
    case Kind::kRun:
      if (event.ticket == thread.ticket) resume(thread);
      return;
    case Kind::kTimeout:
      if (event.ticket == thread.ticket && thread.asleep_on != nullptr) resume(thread);
      return;
    case Kind::kGrant:
      return grant(*event.line, event.request);
    case Kind::kCommit:
      return commit_due(thread);
    case Kind::kRetry:
      event.line->asking.reset(thread.node);
      return ask_all(*event.line, event.request);
  }
}

void World::resume(Thread& thread) {
  ++thread.ticket;
  thread.now = std::max(thread.now, now_);
  running_ = static_cast<unsigned>(&thread - threads_.data());
  fibers_->resume(running_);
  if (fibers_->done(running_)) --left_;
}

void World::schedule(Cycles at, Kind kind, const Request& request, Line* line,
                     std::uint64_t ticket) {
  events_.push({at, order_++, kind, request, line, ticket});
}

void World::resume_at(unsigned thread, Cycles at) {
  schedule(at, Kind::kRun, {.thread = thread}, nullptr, threads_[thread].ticket);
}

// What happens earlier elsewhere may change what this thread is about to see.
void World::wait_for_turn() {
  Thread& thread = me();
  if (events_.empty() || events_.top().at > thread.now) return;
  resume_at(running_, thread.now);
  fibers_->suspend();
}

void World::delay(Cycles cycles) {
  me().polls_kept = 0;
  pass(cycles);
  wait_for_turn();
}

void World::sleep(const void* word, Cycles at_most) {
  Thread& thread = me();
  thread.polls_kept = 0;
  thread.asleep_on = word;
  schedule(thread.now + at_most, Kind::kTimeout, {.thread = running_}, nullptr, thread.ticket);
  fibers_->suspend();
  thread.asleep_on = nullptr;
}

void World::wake(const void* word) {
  wait_for_turn();
  me().polls_kept = 0;
  for (unsigned i = 0; i < threads_.size(); ++i) {
    if (threads_[i].asleep_on == word) resume_at(i, me().now);
  }
}

std::vector<World::Occupancy> World::occupancies() const {
  std::vector<Occupancy> out;
  const auto add = [&](const std::string& name, const std::vector<Resource>& resources) {
    Occupancy sum{.name = name, .links = resources.size()};
    for (const Resource& resource : resources) {
      sum.sum += resource.busy_cycles;
      sum.most = std::max(sum.most, resource.busy_cycles);
    }
    out.push_back(sum);
  };
  add("ports", ports_);
  for (std::size_t i = 0; i < links_.size(); ++i) add(machine_.levels[i].name, links_[i]);
  if (machine_.coherence == Coherence::kSnooping) {
    add("address bus", {address_bus_});
  } else {
    add("homes", homes_);
  }
  return out;
}

}  // namespace muster::coherence
