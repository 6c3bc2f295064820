// Lines change hands: loads, updates, reservations, and what that takes from whom.
#include <algorithm>

#include "sim/coherence/world.h"

namespace muster::coherence {

Line& World::line_of(const void* address) {
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(address) / machine_.line_bytes;
  std::unique_ptr<Line>& line = lines_[number];
  if (line == nullptr) {
    line = std::make_unique<Line>();
    line->index = static_cast<unsigned>(lines_.size() - 1);
    line->number = number;
  }
  return *line;
}

bool World::hits(const Thread& thread, const Line& line) const {
  return holds(thread, line) && (machine_.cores_in_node == 1 || line.copies[thread.core]);
}

bool World::load(const void* address, std::uint64_t& value) {
  wait_for_turn();
  Thread& thread = me();
  ++thread.counts.loads;
  for (auto store = thread.stores.rbegin(); store != thread.stores.rend(); ++store) {
    if (store->address != address) continue;
    value = store->value;
    pass(machine_.load_cycles);
    return true;
  }
  Line& line = line_of(address);
  if (is_spinning(thread, address, line)) wait_for_turn();
  if (!thread.streams.empty() && line.number != thread.last_line) follow_streams(thread, line);
  for (;;) {
    if (hits(thread, line)) {
      pass(machine_.load_cycles + machine_.poll_cycles);
      return false;
    }
    thread.polls_kept = 0;
    if (holds(thread, line)) {
      ++thread.counts.node_hits;
      line.copies.set(thread.core);
      pass(machine_.node_hit_cycles);
    } else {
      fetch(line, /*own=*/false, Purpose::kAccess);
    }
  }
}

// As locked instructions do, after the thread's own stores have taken effect.
void World::begin_update(const void* address) {
  wait_for_drain();
  Thread& thread = me();
  Line& line = line_of(address);
  while (line.owner != thread.node) fetch(line, /*own=*/true, Purpose::kAccess);
  pass(machine_.atomic_cycles);
}

void World::reserve(const void* address) {
  wait_for_drain();
  Thread& thread = me();
  Line& line = line_of(address);
  while (!holds(thread, line)) fetch(line, /*own=*/false, Purpose::kAccess);
  if (machine_.cores_in_node > 1) line.copies.set(thread.core);
  if (thread.reservation != nullptr) std::erase(thread.reservation->reservations, running_);
  thread.reservation = &line;
  line.reservations.push_back(running_);
  pass(machine_.atomic_cycles);
}

bool World::conditional(const void* address) {
  Thread& thread = me();
  Line& line = line_of(address);
  pass(machine_.atomic_cycles);
  wait_for_turn();
  thread.conditional_failed = false;
  while (thread.reservation == &line && line.owner != thread.node && !thread.conditional_failed)
    fetch(line, /*own=*/true, Purpose::kConditional);
  const bool passes = thread.reservation == &line && line.owner == thread.node;
  ++(passes ? thread.counts.conditional_passes : thread.counts.conditional_fails);
  if (!passes && thread.reservation != nullptr)
    std::erase(thread.reservation->reservations, running_);
  if (!passes) thread.reservation = nullptr;
  return passes;
}

void World::written(const void* address) { change(line_of(address), me()); }

void World::prefetch_to_write(const void* address) {
  wait_for_turn();
  Line& line = line_of(address);
  if (line.owner == me().node) return;
  now_ = std::max(now_, me().now);
  ask(line, {running_, /*own=*/true, Purpose::kPrefetch});
}

// The running thread waits for the line.
void World::fetch(Line& line, bool own, Purpose purpose) {
  me().polls_kept = 0;
  wait_for_turn();
  now_ = std::max(now_, me().now);
  ask(line, {running_, own, purpose});
  fibers_->suspend();
}

// Determines which node serves the request and when the line arrives.
void World::begin(Line& line, const Request& request) {
  Thread& thread = threads_[request.thread];
  const unsigned node = thread.node;
  const bool snoops = machine_.coherence == Coherence::kSnooping;
  Resource& address = snoops ? address_bus_ : homes_[line.index % homes_.size()];
  const Cycles begun = address.serve(now_, machine_.address_cycles);

  unsigned supplier = kNone;
  Cycles answered = begun;
  Cycles told = 0;
  for (unsigned other = 0; other < machine_.nodes() && line.holders.any(); ++other) {
    if (!line.holders[other] || other == node) continue;
    const Cycles latency = machine_.latency(node, other);
    if (supplier == kNone || latency < machine_.latency(node, supplier)) supplier = other;
    if (request.own)
      answered = std::max(answered, begun + latency + told++ * machine_.invalidate_cycles);
  }
  if (request.own && snoops) answered = begun + machine_.snoop_cycles(node);

  auto& misses = request.own ? thread.counts.ownership_misses : thread.counts.read_misses;
  Cycles there = 0;
  if (holds(thread, line)) {
    there = answered;  // it has the data and wants the others to lose theirs
    ++misses[machine_.level_between(node, supplier != kNone ? supplier : node)];
  } else if (supplier == kNone) {
    there = std::max(answered, begun + machine_.memory_cycles);
    ++misses.back();
  } else {
    const unsigned level = machine_.level_between(node, supplier);
    ++misses[level];
    Cycles leaves = ports_[supplier].serve(begun, machine_.node_data_cycles);
    const unsigned inside = level > 0 ? machine_.levels[level - 1].nodes : 1;
    const unsigned group = machine_.levels[level].nodes / inside;
    const unsigned first = supplier / machine_.levels[level].nodes * group;
    const unsigned lanes = machine_.levels[level].lanes;
    const bool ring = machine_.levels[level].hop_cycles != 0;
    for (unsigned at = supplier / inside; at != node / inside;
         at = first + (at + 1 - first) % group) {
      Resource& link = links_[level][at * lanes + supplier % inside % lanes];
      leaves = link.serve(leaves, machine_.levels[level].link_cycles);
      if (!ring) break;
    }
    there = std::max(answered, leaves + machine_.latency(node, supplier));
  }
  if (request.own || line.owner != kNone) {
    line.busy = true;
  } else {
    ++line.reads_under_way;
  }
  schedule(there, Kind::kGrant, request, &line);
}

void World::grant(Line& line, const Request& request) {
  Thread& thread = threads_[request.thread];
  if (line.busy) {
    line.busy = false;
  } else {
    --line.reads_under_way;
  }
  const bool lost = request.purpose == Purpose::kConditional && thread.reservation != &line;
  if (request.own && !lost) {
    grant_ownership(line, thread);
  } else if (!request.own) {
    line.owner = line.holders.none() ? thread.node : kNone;
    line.holders.set(thread.node);
    if (request.purpose != Purpose::kPrefetch) line.copies.set(thread.core);
  }
  if (request.purpose == Purpose::kAccess || request.purpose == Purpose::kConditional) {
    thread.conditional_failed = lost;
    resume_at(request.thread, now_);
  }
  if (machine_.coherence == Coherence::kSnooping) {
    answered(line, thread.node);
  } else {
    ask_home(line);
  }
}

void World::grant_ownership(Line& line, Thread& owner) {
  std::bitset<kMostCores> others = line.holders;
  others.reset(owner.node);
  owner.counts.invalidations += others.count();
  line.owner = owner.node;
  line.holders.reset();
  line.holders.set(owner.node);
  if (machine_.cores_in_node > 1) {
    for (unsigned core = 0; core < machine_.cores; ++core) {
      if (machine_.node_of(core) != owner.node) line.copies.reset(core);
    }
  }
  // A reservation goes with the copy.
  for (std::size_t i = line.reservations.size(); i-- > 0;) {
    Thread& other = threads_[line.reservations[i]];
    if (other.node == owner.node) continue;
    other.reservation = nullptr;
    line.reservations.erase(line.reservations.begin() + static_cast<std::ptrdiff_t>(i));
  }
  wake_spinners(line, owner);
  for (QueuedStore& store : owner.stores) {
    if (store.line == &line) store.requested = false;
  }
  if (!owner.stores.empty() && owner.stores.front().line == &line && !owner.commit_is_due)
    commit_first(owner);
}

// A word of the line has a new value.
void World::change(Line& line, Thread& writer) {
  ++line.version;
  if (machine_.cores_in_node > 1) {
    const unsigned first = writer.node * machine_.cores_in_node;
    for (unsigned core = first; core < first + machine_.cores_in_node; ++core) {
      if (core != writer.core) line.copies.reset(core);
    }
    line.copies.set(writer.core);
  }
  drop_reservations(line);
  wake_spinners(line, writer);
}

// Those of all processors, the writer's own included, which its store-conditional has used up.
void World::drop_reservations(Line& line) {
  for (const unsigned thread : line.reservations) threads_[thread].reservation = nullptr;
  line.reservations.clear();
}

// A loop polls at its own pace: what it would not have seen any sooner, it sees at its next turn. The
// writer, which may poll the line of its own store, has seen that already.
void World::wake_spinners(Line& line, const Thread& writer) {
  std::vector<Spinner> spinners;
  spinners.swap(line.spinners);
  for (const Spinner& spinner : spinners) {
    Thread& thread = threads_[spinner.thread];
    if (spinner.ticket != thread.ticket) continue;
    if (&thread == &writer) {
      line.spinners.push_back(spinner);
      continue;
    }
    const Cycles since = now_ > thread.now ? now_ - thread.now : 0;
    const Cycles turns = (since + thread.period - 1) / thread.period;
    thread.counts.polls_passed_over += turns;
    thread.now += turns * thread.period;
    ++thread.ticket;
    resume_at(spinner.thread, thread.now);
  }
}

// Whether the thread has looked at the same words in the same order and nothing has changed; then it
// waits here until one of their lines does.
bool World::is_spinning(Thread& thread, const void* address, Line& line) {
  if (!passes_over_polls_) return false;
  const unsigned kept = thread.polls_kept;
  if (kept == kPollsKept) std::shift_left(std::begin(thread.polls), std::end(thread.polls), 1);
  const unsigned last = kept == kPollsKept ? kept - 1 : kept;
  thread.polls[last] = {address, &line, line.version, thread.now};
  thread.polls_kept = last + 1;
  if (thread.polls_kept < kPollsKept) return false;
  for (unsigned period = 1; period <= kLongestLoop; ++period) {
    bool repeats = true;
    for (unsigned i = period; i < kPollsKept; ++i) {
      const Poll& now = thread.polls[i];
      const Poll& before = thread.polls[i - period];
      repeats = repeats && now.address == before.address && now.version == before.version;
    }
    for (unsigned i = 0; i < period; ++i)
      repeats = repeats && hits(thread, *thread.polls[last - i].line);
    if (!repeats) continue;
    spin(thread, period);
    return true;
  }
  return false;
}

void World::spin(Thread& thread, unsigned period_in_polls) {
  const unsigned last = kPollsKept - 1;
  thread.period = thread.polls[last].at - thread.polls[last - period_in_polls].at;
  for (unsigned i = 0; i < period_in_polls; ++i)
    thread.polls[last - i].line->spinners.push_back({running_, thread.ticket});
  thread.polls_kept = 0;
  fibers_->suspend();
}

}  // namespace muster::coherence
