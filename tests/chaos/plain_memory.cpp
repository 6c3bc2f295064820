// Plain memory on the machine of chaos: races by happens-before, whatever the actual order of events.
#include <algorithm>

#include "tests/chaos/weak_memory.h"

namespace muster::chaos {

void WeakMemory::write(unsigned cell, std::uint64_t value, bool bypassing) {
  Cell& its = cell_[cell];
  Thread& me = self();
  const unsigned number = threads_.running();
  const unsigned clock = its.bypassing ? kMostThreads + its.writer : its.writer;
  bool races = its.writer != number && its.written > me.now[clock];
  for (unsigned i = 0; i < kMostThreads; ++i) races |= i != number && its.read[i] > me.now[i];
  if (races) fail("a race: written before another was through with it");
  its.value = value;
  its.writer = static_cast<std::uint8_t>(number);
  its.bypassing = bypassing;
  if (bypassing) {
    its.written = ++me.bypassing;
  } else {
    its.written = me.now[number] = me.acquired[number] = ++me.accesses;
  }
}

void WeakMemory::must_hold(unsigned cell, std::uint64_t expected) {
  Cell& its = cell_[cell];
  Thread& me = self();
  const unsigned number = threads_.running();
  const unsigned clock = its.bypassing ? kMostThreads + its.writer : its.writer;
  if (its.writer != number && its.written > me.now[clock]) {
    fail("a race: read what need not be there yet");
  }
  if (its.value != expected) fail("let through before all had arrived, or past them");
  its.read[number] = me.now[number] = me.acquired[number] = ++me.accesses;
}

void WeakMemory::meet(unsigned team) {
  Thread& first = thread_[0];
  for (unsigned i = 0; i < team; ++i) {
    Thread& thread = thread_[i];
    thread.acquired[kMostThreads + i] = thread.bypassing;
    if (i != 0) join(first.acquired, thread.acquired);
  }
  for (unsigned i = 0; i < team; ++i) {
    Thread& thread = thread_[i];
    if (i != 0) copy(thread.acquired, first.acquired);
    copy(thread.now, first.acquired);
    copy(thread.released, first.acquired);
  }
}

}  // namespace muster::chaos
