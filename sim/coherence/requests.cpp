// Requests on their way to a line. A directory's home serves them in the order in which they came. A
// snooped bus keeps no lines: a request for a line in transit is retried, each time for the
// bus's time, and the first to try after it has come has it.
#include "sim/coherence/world.h"

namespace muster::coherence {

void World::ask(Line& line, const Request& request) {
  if (machine_.coherence == Coherence::kSnooping) return ask_all(line, request);
  line.queue.push_back(request);
  ask_home(line);
}

// Nothing is left to ask for: the node has got the line meanwhile, or a reservation has gone.
bool World::is_settled(const Line& line, const Request& request) const {
  const Thread& thread = threads_[request.thread];
  if (request.purpose == Purpose::kConditional && thread.reservation != &line) return true;
  return request.own ? line.owner == thread.node : holds(thread, line);
}

void World::settle(Line& line, const Request& request) {
  Thread& thread = threads_[request.thread];
  if (request.purpose == Purpose::kConditional)
    thread.conditional_failed = thread.reservation != &line;
  if (request.purpose == Purpose::kStore) {
    grant_ownership(line, thread);
  } else if (request.purpose != Purpose::kPrefetch) {
    resume_at(request.thread, now_);
  }
}

bool World::has_to_wait(const Line& line, const Request& request) const {
  return line.busy || (request.own && line.reads_under_way > 0);
}

void World::ask_home(Line& line) {
  while (!line.queue.empty() && !line.busy) {
    const Request request = line.queue.front();
    const bool wants_nothing = is_settled(line, request);
    if (!wants_nothing && has_to_wait(line, request)) return;
    line.queue.pop_front();
    if (wants_nothing) {
      settle(line, request);
    } else {
      begin(line, request);
    }
  }
}

void World::ask_all(Line& line, const Request& request) {
  const unsigned node = threads_[request.thread].node;
  if (line.asking[node]) {
    line.queue.push_back(request);
    return;
  }
  if (is_settled(line, request)) {
    settle(line, request);
    return answered(line, node);
  }
  line.asking.set(node);
  if (!has_to_wait(line, request)) return begin(line, request);
  ++threads_[request.thread].counts.retries;
  const Cycles asked = address_bus_.serve(now_, machine_.address_cycles);
  const Cycles told = asked + machine_.snoop_cycles(node);
  // Not in step with others for ever.
  schedule(told + jitter_.next() % (machine_.address_cycles + 1), Kind::kRetry, request, &line);
}

// The node's request is complete: threads that waited for its answer request what they still want.
void World::answered(Line& line, unsigned node) {
  line.asking.reset(node);
  for (auto place = line.queue.begin(); place != line.queue.end(); ++place) {
    if (threads_[place->thread].node != node) continue;
    const Request request = *place;
    line.queue.erase(place);
    return ask_all(line, request);
  }
}

}  // namespace muster::coherence
