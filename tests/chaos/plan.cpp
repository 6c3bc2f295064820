#include "tests/chaos/plan.h"

#include "waiting/random.h"

namespace muster::chaos {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : numbers_(seed) {}
  std::uint32_t below(std::uint32_t n) { return numbers_.next() % n; }
  std::uint32_t from_to(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }
  bool of_256(unsigned chances) { return below(256) < chances; }
  template <class T, std::size_t n>
  T one_of(const T (&choices)[n]) {
    return choices[below(n)];
  }

 private:
  MixedNumbers numbers_;
};

// `auto` is the default, and `block` sleeps most.
WaitKind draw_wait(Draw& draw) {
  switch (draw.below(8)) {
    case 0:
    case 1:
      return WaitKind::kAuto;
    case 2:
      return WaitKind::kBlock;
    case 3:
    case 4:
      return WaitKind::kMicroseconds;
    default:
      return static_cast<WaitKind>(draw.below(kWaitKinds));
  }
}

test::Schedule draw_schedule(Draw& draw) {
  test::Schedule out;
  const bool by_priority = draw.below(4) != 0;
  const unsigned depth = draw.from_to(2, 6);
  const unsigned window = draw.one_of({32U, 128U, 512U, 2048U});
  if (by_priority) {
    out.depth = depth;
    out.window = window;
  }
  out.stops = draw.below(2) == 0;
  out.long_yields = draw.below(2) == 0;
  out.clock_jumps = draw.below(4) == 0;
  out.step_ns = draw.one_of({1U, 2U, 20U, 200U, 2'000U});
  out.pause_ns = draw.one_of({5U, 50U, 500U, 5'000U});
  return out;
}

MemoryPlan draw_memory(Draw& draw) {
  MemoryPlan out;
  out.stale_of_256 = draw.one_of({0U, 16U, 64U, 200U});
  out.stale_ns = draw.one_of({500U, 5'000U, 50'000U});
  out.wakes_of_256 = draw.one_of({0U, 0U, 4U, 32U});
  out.fails_of_256 = draw.one_of({0U, 4U});
  out.fences = draw.one_of({Fences::kAsymmetric, Fences::kAsymmetric, Fences::kSymmetric,
                            Fences::kRefused, Fences::kNowAndThenRefused});
  return out;
}

struct Chances {
  unsigned called_off;
  unsigned lasting;
  unsigned halves;
};

Step draw_step(Draw& draw, const Chances& chances, unsigned size, const Step* before) {
  Step out;
  out.in_halves = draw.of_256(chances.halves);
  if (draw.of_256(chances.called_off)) {
    const unsigned kind = draw.below(8);
    out.callers[draw.below(size)] = true;
    if (kind == 0) out.callers[draw.below(size)] = true;
    if (kind == 1 && before != nullptr && before->in_halves) {
      out = {.in_halves = out.in_halves, .early = true};
    }
    out.lasting = draw.of_256(chances.lasting);
    out.at_real = draw.below(4) == 0;
  }
  return out;
}

}  // namespace

Plan plan_of(std::uint64_t seed, const Fixed& fixed) {
  Draw draw(seed);
  Plan out;
  out.seed = seed;
  out.barrier = static_cast<BarrierKind>(draw.below(kBarrierKinds));
  // The algorithm that changes between two replaces the names that are no algorithms.
  if (out.barrier == BarrierKind::kNative || out.barrier == BarrierKind::kAuto) {
    out.barrier = BarrierKind::kDisseminationOrCounter;
  }
  out.wait = draw_wait(draw);
  const unsigned crowd = draw.below(20);
  out.threads = crowd < 8 ? 2 : crowd < 13 ? 3 : crowd < 16 ? 4 : draw.from_to(5, kMostThreads);
  if (fixed.barrier) out.barrier = *fixed.barrier;
  if (fixed.wait) out.wait = *fixed.wait;
  if (fixed.threads) out.threads = *fixed.threads;
  out.sizes[0] = out.threads;
  out.sizes[1] = draw.from_to(2, out.threads);

  out.schedule = draw_schedule(draw);
  // What `auto` does changes every 10 ms or so.
  const unsigned quick_ns = draw.one_of({0U, 2'000U, 20'000U, 200'000U});
  const bool is_auto = out.wait == WaitKind::kAuto;
  if (is_auto && quick_ns != 0) out.schedule.step_ns = quick_ns;
  out.memory = draw_memory(draw);
  out.late_of_256 = draw.one_of({0U, 16U, 64U});
  out.very_late_of_256 = draw.one_of({0U, 0U, 4U});
  out.radix = draw.from_to(2, 4);
  out.cpus = draw.one_of({1U, 2U, 2U, 4U, 8U});
  out.may_place = draw.below(2) == 0;
  out.slice_ns = draw.one_of({0U, 100'000U});
  out.switch_ns = draw.one_of({200U, 2'000U, 20'000U});
  out.fixed_ns = draw.one_of({0U, 0U, 500U, 20'000U});

  const Chances chances{.called_off = draw.one_of({0U, 16U, 64U, 128U}),
                        .lasting = draw.one_of({0U, 32U}),
                        .halves = draw.one_of({0U, 64U, 256U})};
  const unsigned most_barriers = draw.one_of({0U, 1U, 3U, 6U});
  const unsigned folded = draw.one_of({0U, 128U, 256U});
  out.real_regions.resize(draw.from_to(1, 4));
  for (RealRegion& real : out.real_regions) {
    real.state = draw.below(4) == 0 ? 1 : 0;
    real.folded = draw.of_256(folded);
    real.regions.resize(real.folded ? draw.from_to(1, is_auto ? 48 : 12) : 1);
    const unsigned size = out.sizes[real.state];
    for (Region& region : real.regions) {
      const unsigned most = real.folded ? most_barriers : 4 * most_barriers + 4;
      region.barriers.resize(draw.from_to(0, most));
      const Step* before = nullptr;
      for (Step& step : region.barriers) {
        step = draw_step(draw, chances, size, before);
        before = &step;
      }
      region.join = draw_step(draw, chances, size, before);
    }
  }
  return out;
}

}  // namespace muster::chaos
