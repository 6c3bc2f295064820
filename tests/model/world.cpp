// The threads' part of the world: how they stop before an operation, and the plain memory that they check.
#include "tests/model/world.h"

#include <utility>

namespace muster::model {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 29;
}

}  // namespace

std::string name_of(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "none";
    case Fault::kRace:
      return "data race";
    case Fault::kWrongValue:
      return "a thread left early, or a payload was not seen";
    case Fault::kDisagreement:
      return "one was released, another called off";
    case Fault::kWrongOutcome:
      return "the instance ended the wrong way for all";
    case Fault::kDeadlock:
      return "no thread can continue";
    case Fault::kTooMuch:
      return "the program is too large for the checker";
  }
  return "?";
}

World::World(unsigned threads, Fences fences, Mutation mutation, Assumed& assumed)
    : threads_(threads), mode_(fences), mutation_(mutation), assumed_(assumed) {
  std::memset(static_cast<void*>(&state_), 0, sizeof state_);
}

std::uint8_t World::new_location(std::uint64_t value) {
  if (locations_ == kMaxLocations) {
    fail(Fault::kTooMuch, "more than " + std::to_string(kMaxLocations) + " locations");
    return 0;
  }
  const auto location = static_cast<std::uint8_t>(locations_++);
  Message& message = state_.message[location];
  message.value = value;
  message.location = location;
  for (unsigned i = locations_; i <= kMaxLocations; ++i) {
    state_.first[i] = static_cast<std::uint16_t>(locations_);
  }
  return location;
}

void World::begin(std::function<void(unsigned)> body, unsigned wakes_for_nothing,
                  std::uint8_t stale) {
  state_.stale_left = stale;
  fibers_ = std::make_unique<sim::Fibers>(threads_, std::move(body));
  for (unsigned i = 0; i < kMaxThreads; ++i) {
    state_.thread[i].status = i < threads_ ? Status::kReady : Status::kDone;
    state_.thread[i].wakes_for_nothing =
        static_cast<std::uint8_t>(i < threads_ ? wakes_for_nothing : 0);
    state_.thread[i].history = i;
  }
  for (unsigned i = 0; i < threads_; ++i) run(i);
  make_canonical();
}

// Runs the thread, and the threads that it has woken, up to their next operations.
bool World::run(unsigned thread) {
  to_run_ |= 1U << thread;
  bool leads_on = true;
  const Operation before = control_[thread].pending;
  for (unsigned i = 0; i < threads_; ++i) {
    if ((to_run_ >> i & 1) == 0 || fault_ != Fault::kNone) continue;
    fibers_->resume(i);
    if (fibers_->done(i)) {
      state_.thread[i].status = Status::kDone;
      control_[i].pending = Operation{};
    }
    if (polling_ == Polling::kToNews) leads_on = false;
    if (polling_ == Polling::kToItsEnd) endless_[poll_key_] = found_endless_;
    if (found_endless_) leads_on = false;
    polling_ = Polling::kNot;
    found_endless_ = false;
  }
  to_run_ = 0;
  // A compare-and-swap that failed spuriously and is executed again: nothing has changed.
  const Operation& after = control_[thread].pending;
  if (state_.thread[thread].failed_for_nothing && before.kind == Kind::kCompareExchange &&
      after.kind == before.kind && after.site == before.site && after.value == before.value &&
      after.expected == before.expected && after.location == before.location) {
    leads_on = false;
  }
  return leads_on;
}

bool World::all_done() const {
  for (unsigned i = 0; i < threads_; ++i) {
    if (state_.thread[i].status != Status::kDone) return false;
  }
  return true;
}

void World::remember(unsigned thread, std::uint64_t what) {
  state_.thread[thread].history = mix(state_.thread[thread].history, what + 1);
}

// A loop of polls is identified by the thread's history and the words that it has polled.
std::uint64_t World::poll_key(unsigned thread) const {
  const ThreadState& self = state_.thread[thread];
  std::uint64_t known = 0;
  for (unsigned i = 0; i < locations_; ++i) {
    if (is_poll(self, i)) known |= std::uint64_t{1} << i;
  }
  return mix(mix(self.history, known), thread);
}

std::uint64_t World::stop_before(const Operation& operation) {
  Control& control = control_[running()];
  control.pending = operation;
  fibers_->suspend();
  return control_[running()].result;
}

Operation World::described(Kind kind, std::uint8_t location, std::memory_order order, unsigned bits,
                           const Place& place) const {
  Operation out;
  out.kind = kind;
  out.location = location;
  out.order = order;
  out.site = site_of(place, kind, order, bits);
  out.mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (out.site != mutation_.site) return out;
  if (mutation_.change == Change::kRelaxed) out.order = std::memory_order_relaxed;
  if (mutation_.change == Change::kAcquireOnly) out.order = std::memory_order_acquire;
  if (mutation_.change == Change::kReleaseOnly) out.order = std::memory_order_release;
  return out;
}

std::uint64_t World::flagged(std::uint64_t value, const Operation& operation) {
  if (operation.site != mutation_.site || value == 0 || value == operation.mask) return value;
  const std::uint64_t episode = control_[running()].episode;
  if (mutation_.change == Change::kFlag) return episode & operation.mask;
  if (mutation_.change == Change::kCountFlag) return episode * threads_ & operation.mask;
  return value;
}

bool World::is_poll(const ThreadState& self, unsigned location) const {
  return (self.polled >> location & 1) != 0 && self.read[location] == self.now.at[location];
}

std::uint64_t World::load(std::uint8_t location, std::memory_order order, unsigned bits,
                          const Place& place) {
  if (fibers_ == nullptr) return state_.at(location, 0).value;
  const Operation operation = described(Kind::kLoad, location, order, bits, place);
  const unsigned me = running();
  ThreadState& self = state_.thread[me];
  if (control_[me].blind) {
    return flagged(state_.at(location, self.read[location]).value, operation);
  }
  if (polling_ == Polling::kNot || !is_poll(self, location)) {
    const std::uint64_t value = flagged(stop_before(operation), operation);
    // If the loop continues, nothing was learnt.
    if (polling_ == Polling::kNot) remember(me, value);
    return value;
  }
  if (polling_ == Polling::kToNews && location == news_.location) {
    polling_ = Polling::kNot;
    const std::uint64_t value =
        flagged(read_message(me, location, news_.position, operation.order, true), operation);
    remember(me, value);
    return value;
  }
  if (++polls_ > kEndless) {
    found_endless_ = true;
    fibers_->suspend();
  }
  return flagged(state_.at(location, self.read[location]).value, operation);
}

void World::store(std::uint8_t location, std::uint64_t value, std::memory_order order,
                  unsigned bits, const Place& place) {
  Operation operation = described(Kind::kStore, location, order, bits, place);
  operation.value = value;
  stop_before(operation);
  remember(running(), 0);
}

std::uint64_t World::update(Kind kind, std::uint8_t location, std::uint64_t value,
                            std::memory_order order, unsigned bits, const Place& place) {
  Operation operation = described(kind, location, order, bits, place);
  operation.value = value;
  const std::uint64_t before = stop_before(operation);
  remember(running(), before);
  return before;
}

bool World::compare_exchange(std::uint8_t location, std::uint64_t& expected, std::uint64_t value,
                             std::memory_order order, std::memory_order failed, unsigned bits,
                             const Place& place) {
  if (fibers_ == nullptr) {
    state_.at(location, 0).value =
        value;  // no other thread has arrived, and the expected value was read
    return true;
  }
  Operation operation = described(Kind::kCompareExchange, location, order, bits, place);
  operation.value = value;
  operation.expected = expected;
  operation.failed = failed;
  const std::uint64_t before = stop_before(operation);
  const bool success = control_[running()].success;
  if (!success) {
    remember(running(), before);
    expected = before;
    return false;
  }
  remember(running(), ~std::uint64_t{1});
  return true;
}

bool World::fence(Kind kind, const Place& place) {
  const Operation operation = described(kind, 0, std::memory_order_seq_cst, 0, place);
  Control& control = control_[running()];
  const bool leaves_out = operation.site == mutation_.site && mutation_.change == Change::kNoFence;
  if (kind == Kind::kHeavyFence && mutation_.change == Change::kBlindRecheck) {
    control.blind = !control.slept;
  }
  if (leaves_out) return mode_ != Fences::kRefused;
  const bool had = stop_before(operation) != 0;
  remember(running(), had);
  return had;
}

void World::drain(const Place& place) {
  const Operation operation = described(Kind::kDrain, 0, std::memory_order_release, 0, place);
  if (operation.site == mutation_.site && mutation_.change == Change::kNoDrain) return;
  ThreadState& self = state_.thread[running()];
  for (View* view : {&self.now, &self.acquired}) {
    view->clock[kMaxThreads + running()] = self.bypassing;
  }
}

bool World::wait(std::uint8_t location, std::uint64_t expected, bool limited, const Place& place) {
  Operation operation = described(Kind::kWait, location, std::memory_order_relaxed, 32, place);
  operation.expected = expected;
  operation.limited = limited;
  control_[running()].blind = false;
  const bool slept = stop_before(operation) != 0;
  control_[running()].slept = true;
  remember(running(), slept);
  return slept;
}

void World::wake(std::uint8_t location, const Place& place) {
  const Operation operation =
      described(Kind::kWake, location, std::memory_order_relaxed, 32, place);
  if (operation.site == mutation_.site && mutation_.change == Change::kNoWake) return;
  stop_before(operation);
  remember(running(), 0);
}

std::uint64_t World::now_ns() {
  Control& control = control_[running()];
  if (polling_ != Polling::kNot) control.clock_ns += kBeyondAllLimitsNs;
  return control.clock_ns;
}

void World::write(unsigned cell, std::uint64_t value, bool bypassing) {
  const unsigned me = running();
  ThreadState& self = state_.thread[me];
  Cell& where = state_.cell[cell];
  const Count* seen = self.now.clock;
  const bool write_before =
      where.written == 0 || where.writer == me ||
      seen[(where.bypassing ? kMaxThreads : 0) + where.writer] >= where.written;
  bool reads_before = true;
  for (unsigned i = 0; i < threads_; ++i) {
    if (i != me && where.read[i] > seen[i]) reads_before = false;
  }
  if (!write_before || !reads_before) {
    fail(Fault::kRace, "thread " + std::to_string(me) + " stores " + std::to_string(value) +
                           " to payload " + std::to_string(cell) + " beside another's " +
                           (write_before ? "load" : "store"));
    return;
  }
  ++self.accesses;
  self.now.clock[me] = self.acquired.clock[me] = self.accesses;
  where.value = value;
  where.writer = static_cast<std::uint8_t>(me);
  where.bypassing = bypassing;
  where.written = bypassing ? ++self.bypassing : self.accesses;
}

std::uint64_t World::read(unsigned cell) {
  const unsigned me = running();
  ThreadState& self = state_.thread[me];
  Cell& where = state_.cell[cell];
  if (where.written != 0 && where.writer != me &&
      self.now.clock[(where.bypassing ? kMaxThreads : 0) + where.writer] < where.written) {
    fail(Fault::kRace, "thread " + std::to_string(me) + " loads payload " + std::to_string(cell) +
                           " beside the store of thread " + std::to_string(where.writer));
    return where.value;
  }
  ++self.accesses;
  self.now.clock[me] = self.acquired.clock[me] = self.accesses;
  where.read[me] = self.accesses;
  return where.value;
}

void World::must_hold(unsigned cell, std::uint64_t value) {
  const std::uint64_t found = read(cell);
  if (found == value || fault_ != Fault::kNone) return;
  fail(Fault::kWrongValue, "thread " + std::to_string(running()) + " finds " +
                               std::to_string(found) + " in payload " + std::to_string(cell) +
                               ", not " + std::to_string(value));
}

void World::settle(std::uint64_t position) {
  ThreadState& self = state_.thread[running()];
  self.history = mix(running(), ~position);
  self.polled = 0;
  control_[running()].clock_ns = kClockBegins;
}

void World::at_episode(std::uint64_t episode) {
  control_[running()].episode = episode;
  control_[running()].slept = false;
}

void World::note_outcome(std::uint64_t instance, bool released, bool expected) {
  std::uint8_t& outcome = state_.outcome[instance % sizeof state_.outcome];
  const std::uint8_t mine = released ? 1 : 2;
  const std::string who = "thread " + std::to_string(running()) + " was " +
                          (released ? "released from" : "called off at") + " instance " +
                          std::to_string(instance);
  if (outcome != 0 && outcome != mine) {
    fail(Fault::kDisagreement, who + ", another was not");
  } else if (released != expected) {
    fail(Fault::kWrongOutcome, who);
  }
  outcome = mine;
}

void World::real_barrier() {
  Operation operation;
  operation.kind = Kind::kRealBarrier;
  stop_before(operation);
  remember(running(), 0);
}

// The first fault counts; the thread that finds it stops for good.
void World::fail(Fault fault, std::string text) {
  if (fault_ == Fault::kNone) {
    fault_ = fault;
    fault_text_ = std::move(text);
  }
  if (fibers_ != nullptr) fibers_->suspend();
}

void World::save(std::vector<std::byte>& out) const {
  const std::size_t begin = out.size();
  out.resize(begin + sizeof control_ + state_.bytes());
  std::memcpy(out.data() + begin, &control_, sizeof control_);
  std::memcpy(out.data() + begin + sizeof control_, &state_, state_.bytes());
  fibers_->save(out);
}

void World::restore(const std::byte* from) {
  std::memcpy(static_cast<void*>(&control_), from, sizeof control_);
  from += sizeof control_;
  // The length is in the head, which the shortest state has, too.
  std::memcpy(static_cast<void*>(&state_), from, state_.offset_of_messages());
  std::memcpy(static_cast<void*>(&state_), from, state_.bytes());
  fibers_->restore(from + state_.bytes());
  fault_ = Fault::kNone;
}

}  // namespace muster::model
