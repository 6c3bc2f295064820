// Store queues: a store waits in its processor's queue until its line is there, and takes effect after
// those before it. The lines of several are fetched at once; one that comes early may be taken away
// again before its turn.
#include <algorithm>

#include "sim/coherence/world.h"

namespace muster::coherence {

void World::store(void* address, std::uint64_t value, Write write) {
  wait_for_turn();
  Thread& thread = me();
  thread.polls_kept = 0;
  ++thread.counts.stores;
  while (thread.stores.size() >= machine_.store_queue) {
    thread.waits_for_space = true;
    fibers_->suspend();
  }
  thread.stores.push_back({address, value, write, &line_of(address)});
  pass(1);
  now_ = std::max(now_, thread.now);
  pump(thread);
}

void World::wait_for_drain() {
  wait_for_turn();
  Thread& thread = me();
  thread.polls_kept = 0;
  while (!thread.stores.empty()) {
    thread.waits_for_drain = true;
    fibers_->suspend();
  }
}

void World::fence() {
  wait_for_drain();
  pass(machine_.fence_cycles);
}

void World::fence_everybody() {
  constexpr Cycles kInterrupt = 1'000;
  fence();
  for (const Thread& other : threads_) {
    while (!other.stores.empty()) delay(kInterrupt);
  }
}

// Asks for the lines of the first stores, and sees to the first when its line is there.
void World::pump(Thread& thread) {
  const auto number = static_cast<unsigned>(&thread - threads_.data());
  const std::size_t in_flight =
      std::min<std::size_t>(thread.stores.size(), machine_.stores_in_flight);
  for (std::size_t i = 0; i < in_flight; ++i) {
    QueuedStore& store = thread.stores[i];
    if (store.requested || store.line->owner == thread.node) continue;
    // Others to the same line ride along.
    const auto same = [&](const QueuedStore& other) {
      return other.line == store.line && other.requested;
    };
    if (std::any_of(thread.stores.begin(), thread.stores.end(), same)) continue;
    store.requested = true;
    ask(*store.line, {number, /*own=*/true, Purpose::kStore});
    if (thread.stores.empty()) return;
  }
  if (thread.stores.empty() || thread.commit_is_due ||
      thread.stores.front().line->owner != thread.node)
    return;
  thread.commit_is_due = true;
  schedule(now_ + machine_.store_cycles, Kind::kCommit, {.thread = number});
}

void World::commit_due(Thread& thread) {
  thread.commit_is_due = false;
  if (!thread.stores.empty() && thread.stores.front().line->owner == thread.node) {
    commit_first(thread);
  } else {
    pump(thread);
  }
}

void World::commit_first(Thread& thread) {
  const QueuedStore store = thread.stores.front();
  thread.stores.pop_front();
  store.write(store.address, store.value);
  change(*store.line, thread);
  const auto number = static_cast<unsigned>(&thread - threads_.data());
  const bool wakes = (thread.waits_for_drain && thread.stores.empty()) || thread.waits_for_space;
  if (wakes) {
    thread.waits_for_drain = thread.waits_for_space = false;
    resume_at(number, now_);
  }
  pump(thread);
}

}  // namespace muster::coherence
