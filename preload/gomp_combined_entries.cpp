// gcc's combined constructs, `parallel for` and `parallel sections`, and the functions that distribute their work.
#include "preload/entry.h"
#include "preload/gomp_region.h"
#include "runtime-hooks/folding/combined_region.h"

namespace muster {
namespace {

// start(share) starts the construct inside a region. `can_start`: whether the runtime has the function for that.
template <class Start, class Fork>
void combined_region(Runtime& runtime, CallSite site, abi::GompRegion function, void* data,
                     unsigned& threads, unsigned flags, bool can_start, Start start,
                     const Fork& fork) {
  Unfolded why = Unfolded::kFolded;
  {
    CombinedRegion<Start> combined{function, data, start};
    void* its_data = &combined;
    const RegionBody body(&CombinedRegion<Start>::run, &its_data);
    why = fold_region({runtime, body, site, threads, flags != 0 || !can_start,
                       /*is_combined=*/true});
    if (why == Unfolded::kFolded) return;
  }
  threads = size_for(why, threads);
  fork_region(runtime, site, why, function, data, fork);
}

Runtime& ready_runtime_of(const void* caller, const char* symbol) {
  ensure_ready();
  return runtime_of(caller, symbol);
}

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_ENTRY void GOMP_parallel_sections(abi::GompRegion function, void* data, unsigned threads,
                                         unsigned count, unsigned flags) {
  const void* const caller = MUSTER_CALLER;
  Runtime& runtime = ready_runtime_of(caller, "GOMP_parallel_sections");
  const RealFunctions& real = runtime.real;
  combined_region(
      runtime, {"GOMP_parallel_sections", caller}, function, data, threads, flags,
      real.GOMP_sections_start != nullptr && real.GOMP_sections_next != nullptr,
      [&real, count](FirstShare& share) { share.section = real.GOMP_sections_start(count); },
      [&](abi::GompRegion body, void* argument) {
        real.GOMP_parallel_sections(body, argument, threads, count, flags);
      });
}

MUSTER_ENTRY unsigned GOMP_sections_next() {
  const void* const caller = MUSTER_CALLER;
  FirstShare share;
  if (take_first_share(share, caller, "GOMP_sections_next")) return share.section;
  return MUSTER_REAL_FOR(caller, GOMP_sections_next)();
}

// `schedule`: the parameters begin, end, step and, except with the run-time schedule, chunk. `...`: their names.
#define MUSTER_LOOP(kind, schedule, ...)                                                       \
  MUSTER_ENTRY void GOMP_parallel_loop_##kind(abi::GompRegion function, void* data,            \
                                              unsigned threads, MUSTER_UNPACK schedule,        \
                                              unsigned flags) {                                \
    const void* const caller = MUSTER_CALLER;                                                  \
    Runtime& runtime = ready_runtime_of(caller, "GOMP_parallel_loop_" #kind);                  \
    const RealFunctions& real = runtime.real;                                                  \
    const auto start = real.GOMP_loop_##kind##_start;                                          \
    combined_region(                                                                           \
        runtime, {"GOMP_parallel_loop_" #kind, caller}, function, data, threads, flags,        \
        start != nullptr && real.GOMP_loop_##kind##_next != nullptr,                           \
        [=](FirstShare& share) { share.some = start(__VA_ARGS__, &share.begin, &share.end); }, \
        [&](abi::GompRegion body, void* argument) {                                            \
          real.GOMP_parallel_loop_##kind(body, argument, threads, __VA_ARGS__, flags);         \
        });                                                                                    \
  }
#define MUSTER_UNPACK(...) __VA_ARGS__
#define MUSTER_CHUNKED_LOOP(kind) \
  MUSTER_LOOP(kind, (long begin, long end, long step, long chunk), begin, end, step, chunk)
#define MUSTER_RUNTIME_LOOP(kind) \
  MUSTER_LOOP(kind, (long begin, long end, long step), begin, end, step)
MUSTER_CHUNKED_LOOP(static)
MUSTER_CHUNKED_LOOP(dynamic)
MUSTER_CHUNKED_LOOP(guided)
MUSTER_CHUNKED_LOOP(nonmonotonic_dynamic)
MUSTER_CHUNKED_LOOP(nonmonotonic_guided)
MUSTER_RUNTIME_LOOP(runtime)
MUSTER_RUNTIME_LOOP(nonmonotonic_runtime)
MUSTER_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

#define MUSTER_NEXT(result, name, parameters)               \
  MUSTER_ENTRY bool name(long* begin, long* end) {          \
    const void* const caller = MUSTER_CALLER;               \
    FirstShare share;                                       \
    if (!take_first_share(share, caller, #name)) [[likely]] \
      return MUSTER_REAL_FOR(caller, name)(begin, end);     \
    if (share.some) {                                       \
      *begin = share.begin;                                 \
      *end = share.end;                                     \
    }                                                       \
    return share.some;                                      \
  }
MUSTER_GOMP_LOOP_NEXTS(MUSTER_NEXT)
