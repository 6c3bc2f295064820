#include "tests/chaos/weak_memory.h"

#include <algorithm>
#include <utility>

namespace muster::chaos {
namespace {

using model::Change;

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

std::uint64_t cut(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

void WeakMemory::clear(const MemoryPlan& plan, model::Mutation mutation, bool notes_sites) {
  plan_ = plan;
  mutation_ = mutation;
  notes_sites_ = notes_sites;
  word_.clear();
  has_begun_ = false;
  group_ = 0;
  std::fill(std::begin(closed_), std::end(closed_), false);
  std::fill(std::begin(cell_), std::end(cell_), Cell{});
  heavy_fences_ = 0;
  wrong_.clear();
}

std::uint16_t WeakMemory::new_word(std::uint64_t value) {
  Word word;
  word.value[0] = value;
  word.group = group_;
  word_.push_back(word);
  return static_cast<std::uint16_t>(word_.size() - 1);
}

void WeakMemory::begin() {
  const auto words = static_cast<unsigned>(word_.size());
  used_ = kClocks + words;
  stride_ = (used_ + 7) / 8 * 8;
  constexpr unsigned kOfThread = 4;
  own_views_.assign(std::size_t{kOfThread * kMostThreads + 2} * stride_, 0);
  View next = own_views_.data();
  const auto one = [&] { return std::exchange(next, next + stride_); };
  for (Thread& thread : thread_) {
    thread.now = one();
    thread.acquired = one();
    thread.released = one();
    thread.lightly = one();
    thread.accesses = thread.bypassing = thread.heavy_seen = 0;
    thread.episode = 0;
    thread.blind = thread.slept = false;
    thread.taken.assign(words, 0);
    thread.acquires.assign(words, 0);
    thread.read.assign(words, 0);
  }
  fences_ = one();
  heavy_ = one();
  const std::size_t counts = std::size_t{words} * kHistory * stride_;
  if (views_.size() < counts) views_.resize(counts);
  for (unsigned i = 0; i < words; ++i) {
    const View first = view_of(static_cast<std::uint16_t>(i), 0);
    std::fill(first, first + stride_, 0);
  }
  has_begun_ = true;
}

void WeakMemory::at_episode(std::uint64_t episode, unsigned team) {
  self().episode = episode;
  self().team = team;
  self().slept = false;
}

void WeakMemory::fail(const char* what) {
  if (wrong_.empty()) wrong_ = what;
  if (has_begun_) threads_.abandon();
}

void WeakMemory::see(View into, const Count* from) const {
  for (unsigned i = kClocks; i < stride_; ++i) into[i] = into[i] > from[i] ? into[i] : from[i];
}

void WeakMemory::join(View into, const Count* from) const {
  for (unsigned i = 0; i < stride_; ++i) into[i] = into[i] > from[i] ? into[i] : from[i];
}

void WeakMemory::copy(View into, const Count* from) const { std::copy_n(from, stride_, into); }

Change WeakMemory::change_at(const Place& place, Kind kind, unsigned bits,
                             std::memory_order& order) const {
  if (mutation_.site == 0 && !notes_sites_) [[likely]]
    return Change::kNone;
  const std::uint16_t site = model::site_of(place, kind, order, bits);
  if (site != mutation_.site || mutation_.site == 0) return Change::kNone;
  if (mutation_.change == Change::kRelaxed) order = std::memory_order_relaxed;
  if (mutation_.change == Change::kAcquireOnly) order = std::memory_order_acquire;
  if (mutation_.change == Change::kReleaseOnly) order = std::memory_order_release;
  return mutation_.change;
}

std::uint64_t WeakMemory::flagged(const Thread& me, std::uint64_t value, Change change,
                                  unsigned bits) const {
  const bool flags = change == Change::kFlag || change == Change::kCountFlag;
  if (!flags || value == 0 || value == cut(~std::uint64_t{0}, bits)) return value;
  return cut(change == Change::kFlag ? me.episode : me.episode * me.team, bits);
}

void WeakMemory::touch(std::uint16_t word) {
  threads_.step();
  if (closed_[word_[word].group]) fail("a team's words were touched after its end");
}

unsigned WeakMemory::choose(const Word& word, Count from) {
  const unsigned newest = word.newest();
  if (word.number[newest] <= from || !drawn(plan_.stale_of_256)) return newest;
  unsigned low = 0;
  while (word.number[low] < from) ++low;
  while (low < newest && threads_.true_ns() - word.at_ns[low + 1] > plan_.stale_ns) ++low;
  return low + threads_.draw() % (newest - low + 1);
}

unsigned WeakMemory::choose_place(const Word& word, Count from) {
  const unsigned newest = word.newest();
  const unsigned at = choose(word, from);
  if (at == newest || word.number[at] < from) return newest;
  const bool is_open = !word.follows[at + 1] && word.number[at + 1] - word.number[at] > 1;
  return is_open ? at : newest;
}

std::uint64_t WeakMemory::take(Thread& me, std::uint16_t word, unsigned at, bool also_now) {
  const unsigned its = kClocks + word;
  const Count number = word_[word].number[at];
  if (me.taken[word] != number + 1) {
    join(me.acquired, view_of(word, at));
    me.acquired[its] = std::max(me.acquired[its], number);
    me.taken[word] = number + 1;
  }
  if (also_now && me.acquires[word] != number + 1) {
    join(me.now, view_of(word, at));
    me.acquires[word] = number + 1;
  }
  me.now[its] = std::max(me.now[its], number);
  return me.read[word] = word_[word].value[at];
}

void WeakMemory::put(Thread& me, std::uint16_t word, unsigned after, std::uint64_t value,
                     bool is_release, bool follows) {
  Word& its = word_[word];
  const bool is_newest = after == its.newest();
  const Count number = is_newest
                           ? its.number[after] + kGap
                           : its.number[after] + (its.number[after + 1] - its.number[after]) / 2;
  unsigned at = after + 1;
  std::uint8_t slot = its.count;
  const std::uint8_t before = its.slot[after];
  const auto move = [&](unsigned from, unsigned to) {
    its.value[to] = its.value[from];
    its.at_ns[to] = its.at_ns[from];
    its.number[to] = its.number[from];
    its.slot[to] = its.slot[from];
    its.follows[to] = its.follows[from];
  };
  if (its.count == kHistory) {  // the oldest goes
    slot = its.slot[0];
    for (unsigned i = 0; i < after; ++i) move(i + 1, i);
    at = after;
  } else {
    for (unsigned i = its.count; i > at; --i) move(i - 1, i);
    ++its.count;
  }
  its.value[at] = value;
  its.at_ns[at] = threads_.true_ns();
  its.number[at] = number;
  its.slot[at] = slot;
  its.follows[at] = follows;
  const View view = view_of(word, at);
  const bool replaces_its_own = slot == before;  // the only one before it was the oldest
  if (follows && replaces_its_own) {
    join(view, is_release ? me.now : me.released);
  } else {
    copy(view, is_release ? me.now : me.released);
    // A release sequence continues.
    if (follows) join(view, views_.data() + (std::size_t{word} * kHistory + before) * stride_);
  }
  view[kClocks + word] = number;
  me.now[kClocks + word] = me.acquired[kClocks + word] = number;
  me.read[word] = value;
}

std::uint64_t WeakMemory::load(std::uint16_t word, std::memory_order order, unsigned bits,
                               const Place& place) {
  if (!has_begun_) return word_[word].value[0];
  const Change change = change_at(place, Kind::kLoad, bits, order);
  touch(word);
  Thread& me = self();
  if (me.blind) return flagged(me, me.read[word], change, bits);
  const bool fences = order == std::memory_order_seq_cst;
  if (fences) fence_fully(me);
  const unsigned at = choose(word_[word], me.now[kClocks + word]);
  return flagged(me, take(me, word, at, acquires(order)), change, bits);
}

void WeakMemory::store(std::uint16_t word, std::uint64_t value, std::memory_order order,
                       unsigned bits, const Place& place) {
  if (!has_begun_) {
    word_[word].value[0] = value;
    return;
  }
  change_at(place, Kind::kStore, bits, order);
  touch(word);
  threads_.note_write();
  Thread& me = self();
  const bool fences = order == std::memory_order_seq_cst;
  if (fences) fence_fully(me);
  const unsigned after = choose_place(word_[word], me.now[kClocks + word]);
  put(me, word, after, cut(value, bits), releases(order), false);
  if (fences) fence_fully(me);
}

std::uint64_t WeakMemory::update(Kind kind, std::uint16_t word, std::uint64_t value,
                                 std::memory_order order, unsigned bits, const Place& place) {
  change_at(place, kind, bits, order);
  touch(word);
  threads_.note_write();
  Thread& me = self();
  const bool fences = order == std::memory_order_seq_cst;
  if (fences) fence_fully(me);
  const unsigned newest = word_[word].newest();
  const std::uint64_t before = take(me, word, newest, acquires(order));
  put(me, word, newest, cut(kind == Kind::kAdd ? before + value : value, bits), releases(order),
      true);
  if (fences) fence_fully(me);
  return before;
}

bool WeakMemory::compare_exchange(std::uint16_t word, std::uint64_t& expected, std::uint64_t value,
                                  std::memory_order order, std::memory_order failed, unsigned bits,
                                  const Place& place) {
  change_at(place, Kind::kCompareExchange, bits, order);
  touch(word);
  threads_.note_write();
  Thread& me = self();
  const Word& its = word_[word];
  const unsigned seen = choose(its, me.now[kClocks + word]);
  if (its.value[seen] != expected) {
    expected = take(me, word, seen, acquires(failed));
    return false;
  }
  const unsigned newest = its.newest();
  if (its.value[newest] != expected || drawn(plan_.fails_of_256)) {
    expected = take(me, word, newest, acquires(failed));
    return false;
  }
  take(me, word, newest, acquires(order));
  put(me, word, newest, cut(value, bits), releases(order), true);
  return true;
}

void WeakMemory::fence_fully(Thread& me) {
  copy(me.now, me.acquired);
  see(me.now, fences_);
  see(fences_, me.now);
  copy(me.acquired, me.now);
  copy(me.released, me.now);
}

void WeakMemory::full_fence(const Place& place) {
  auto order = std::memory_order_seq_cst;
  const Change change = change_at(place, Kind::kFullFence, 0, order);
  threads_.step();
  Thread& me = self();
  if (mutation_.change == Change::kBlindRecheck) me.blind = !me.slept;
  if (change != Change::kNoFence) fence_fully(me);
}

void WeakMemory::light_fence(const Place& place) {
  auto order = std::memory_order_seq_cst;
  const Change change = change_at(place, Kind::kLightFence, 0, order);
  if (change == Change::kNoFence) return;
  threads_.step();
  Thread& me = self();
  if (plan_.fences == Fences::kSymmetric) return fence_fully(me);
  if (plan_.fences == Fences::kRefused) return;
  if (me.heavy_seen != heavy_fences_) {
    see(me.now, heavy_);
    see(me.acquired, me.now);
    me.heavy_seen = heavy_fences_;
  }
  copy(me.lightly, me.now);
}

bool WeakMemory::heavy_fence(const Place& place) {
  auto order = std::memory_order_seq_cst;
  const Change change = change_at(place, Kind::kHeavyFence, 0, order);
  threads_.step();
  Thread& me = self();
  if (mutation_.change == Change::kBlindRecheck) me.blind = !me.slept;
  if (change == Change::kNoFence) return plan_.fences != Fences::kRefused;
  fence_fully(me);
  if (plan_.fences == Fences::kSymmetric) return true;
  if (plan_.fences == Fences::kRefused) return false;
  if (plan_.fences == Fences::kNowAndThenRefused && threads_.one_in(8)) return false;
  for (const Thread& other : thread_) see(me.now, other.lightly);
  see(heavy_, me.now);
  see(fences_, me.now);
  copy(me.acquired, me.now);
  copy(me.released, me.now);
  me.heavy_seen = ++heavy_fences_;
  return true;
}

void WeakMemory::drain(const Place& place) {
  auto order = std::memory_order_release;
  if (change_at(place, Kind::kDrain, 0, order) == Change::kNoDrain) return;
  Thread& me = self();
  const unsigned clock = kMostThreads + threads_.running();
  me.now[clock] = me.acquired[clock] = me.bypassing;
}

bool WeakMemory::wait(std::uint16_t word, std::uint64_t expected, bool limited,
                      const Place& place) {
  auto order = std::memory_order_relaxed;
  const Change change = change_at(place, Kind::kWait, 32, order);
  touch(word);
  Thread& me = self();
  me.blind = false;
  me.slept = true;
  const Word& its = word_[word];
  const unsigned at = choose(its, std::max(me.now[kClocks + word], its.woken));
  if (take(me, word, at, false) != expected && change != Change::kNoComparison) return false;
  if (drawn(plan_.wakes_of_256)) return true;
  threads_.sleep(&its, limited);
  return true;
}

void WeakMemory::wake(std::uint16_t word, const Place& place) {
  auto order = std::memory_order_relaxed;
  if (change_at(place, Kind::kWake, 32, order) == Change::kNoWake) return;
  touch(word);
  Word& its = word_[word];
  its.woken = std::max(its.woken, self().now[kClocks + word]);
  threads_.wake(&its);
}

}  // namespace muster::chaos
