// Which iterations of a loop with a static schedule a thread executes: the arithmetic of __kmpc_for_static_init_*. Its
// result follows from the thread's number, the team's size and the arguments. OpenMP prescribes chunks of a given
// size, dealt in turn. Without a size, libomp gives each thread one chunk, and the first ones an iteration more
// ("balanced"), unless a setting changes that (loop_rules.h).
//
// Arithmetic wraps around, as the runtimes' does. Where versions of the runtime differ or debug builds assert, nothing
// is computed and the answer is false: teams of one, a schedule with a modifier (libomp 14 takes it for that of a
// `distribute`), an increment or a chunk of 0, and a loop over all values of the type.
#pragma once

#include <cstdint>
#include <type_traits>

namespace muster {

// A thread among those of its team, or a team among those of its league.
struct LoopPlace {
  std::uint32_t number;
  std::uint32_t count;
};

// The kinds of schedules (kmp.h).
inline constexpr std::int32_t kStaticChunked = 33;
inline constexpr std::int32_t kStatic = 34;
// With `simd`: one chunk, a multiple of the size.
inline constexpr std::int32_t kBalancedChunked = 45;
inline constexpr std::int32_t kDistributeChunked = 91;
inline constexpr std::int32_t kDistribute = 92;

template <class T>
struct Loop {
  using Unsigned = std::make_unsigned_t<T>;
  using Signed = std::make_signed_t<T>;
  T lower;
  T upper;
  Signed stride;
  std::int32_t last;  // whether the last iteration is among them

  bool is_empty(Signed step) const { return step > 0 ? upper < lower : lower < upper; }

  // 0: as many as the type has values.
  Unsigned trips(Signed step) const {
    const auto distance = static_cast<Unsigned>(upper) - static_cast<Unsigned>(lower);
    const auto size = static_cast<Unsigned>(step);
    return step > 0 ? distance / size + 1 : (Unsigned{0} - distance) / (Unsigned{0} - size) + 1;
  }

  void make_empty(Signed step) {
    const auto end = static_cast<Unsigned>(upper);
    lower = static_cast<T>(step > 0 ? end + 1 : end - 1);
  }
  void move_lower(Unsigned by) { lower = static_cast<T>(static_cast<Unsigned>(lower) + by); }
  // The bound of `trips` iterations from the lower one.
  T end_of(Unsigned trips, Signed step) const {
    return static_cast<T>(static_cast<Unsigned>(lower) + (trips - 1) * static_cast<Unsigned>(step));
  }
};

// Where the share of place.number begins if each of place.count gets an equal one, the first ones one more; and its
// size.
template <class Unsigned>
struct BalancedShare {
  BalancedShare(Unsigned trips, LoopPlace place) : size(trips / place.count) {
    const auto extras = static_cast<Unsigned>(trips % place.count);
    const bool has_extra = place.number < extras;
    begin = place.number * size + (has_extra ? place.number : extras);
    if (has_extra) ++size;
  }
  Unsigned begin;
  Unsigned size;
};

template <class T>
void take_balanced(Loop<T>& loop, typename Loop<T>::Signed step, typename Loop<T>::Unsigned trips,
                   LoopPlace place) {
  using Unsigned = typename Loop<T>::Unsigned;
  const auto wide_step = static_cast<Unsigned>(step);
  if (trips >= place.count) {
    const BalancedShare<Unsigned> share(trips, place);
    loop.move_lower(share.begin * wide_step);
    loop.upper = loop.end_of(share.size, step);
    loop.last = place.number == place.count - 1;
  } else {
    if (place.number < trips) {
      loop.move_lower(place.number * wide_step);
      loop.upper = loop.lower;
    } else {
      loop.make_empty(step);
    }
    loop.last = place.number == trips - 1;
  }
  loop.stride = static_cast<typename Loop<T>::Signed>(trips);
}

// The first chunk, and the stride to the next one.
template <class T>
bool take_chunk(Loop<T>& loop, typename Loop<T>::Signed step, typename Loop<T>::Signed chunk,
                typename Loop<T>::Unsigned trips, LoopPlace place) {
  using Unsigned = typename Loop<T>::Unsigned;
  if (chunk == 0) return false;
  const Unsigned asked = chunk < 0 ? Unsigned{1} : static_cast<Unsigned>(chunk);
  const Unsigned size = asked < trips ? asked : trips;
  const Unsigned chunks = trips / size + (trips % size != 0 ? 1 : 0);
  const Unsigned span = size * static_cast<Unsigned>(step);
  const Unsigned dealt = chunks < place.count ? chunks : place.count;
  loop.stride = static_cast<typename Loop<T>::Signed>(span * dealt);
  if (place.number < dealt) {
    loop.move_lower(span * place.number);
    loop.upper = loop.end_of(size, step);
  } else {
    loop.make_empty(step);
  }
  loop.last = place.number == (chunks - 1) % place.count;
  return true;
}

// One chunk a thread, a multiple of `chunk`, which is a power of two. The stride is not set.
template <class T>
bool take_balanced_chunk(Loop<T>& loop, typename Loop<T>::Signed step,
                         typename Loop<T>::Signed chunk, typename Loop<T>::Unsigned trips,
                         LoopPlace place) {
  using Unsigned = typename Loop<T>::Unsigned;
  if (chunk <= 0) return false;
  const auto multiple = static_cast<Unsigned>(chunk);
  const Unsigned equal = (trips + place.count - 1) / place.count;
  const Unsigned size = (equal + multiple - 1) & ~(multiple - 1);
  if (size == 0) return false;
  const T end = loop.upper;
  loop.move_lower(size * static_cast<Unsigned>(step) * place.number);
  loop.upper = loop.end_of(size, step);
  if (step > 0 ? loop.upper > end : loop.upper < end) loop.upper = end;
  loop.last = place.number == (trips - 1) / size;
  return true;
}

// __kmpc_for_static_init_*: the calling thread's share of the loop. `schedule` is one of kStaticChunked, kStatic and
// kBalancedChunked.
template <class T>
bool take_share(Loop<T>& loop, std::int32_t schedule, typename Loop<T>::Signed step,
                typename Loop<T>::Signed chunk, LoopPlace place) {
  using Unsigned = typename Loop<T>::Unsigned;
  if (step == 0 || place.count <= 1) return false;
  if (loop.is_empty(step)) {
    loop.last = 0;
    loop.stride = step;
    return true;
  }
  const Unsigned trips = loop.trips(step);
  if (trips == 0) return false;
  switch (schedule) {
    case kStatic:
      take_balanced(loop, step, trips, place);
      return true;
    case kStaticChunked:
      return take_chunk(loop, step, chunk, trips, place);
    case kBalancedChunked:
      return take_balanced_chunk(loop, step, chunk, trips, place);
    default:
      return false;
  }
}

}  // namespace muster
