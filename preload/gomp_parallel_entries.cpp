// Parallel regions of code compiled by gcc. Each gets a team frame around its function.
#include "preload/entry.h"
#include "preload/gomp_region.h"
#include "runtime-hooks/teams/started_region.h"

namespace muster {
namespace {

template <class Start>
void start_region(Runtime& runtime, CallSite site, abi::GompRegion function, void* data,
                  unsigned& threads, Start&& start) {
  const Unfolded why = why_unfolded(runtime, site.caller, threads);
  threads = size_for(why, threads);
  StartedRegion* started = runtime.contains(site.caller)
                               ? nullptr
                               : StartedRegion::open(runtime, function, data, why, site);
  if (started == nullptr) {
    start(function, data);
    return;
  }
  start(StartedRegion::function(), started->data());
  started->enter();
}

// For regions that are never folded.
Runtime& runtime_for(const void* caller, const char* symbol) {
  entering(symbol, caller);
  return runtime_of(caller, symbol);
}

}  // namespace
}  // namespace muster

using namespace muster;

MUSTER_ENTRY void GOMP_parallel(abi::GompRegion function, void* data, unsigned threads,
                                unsigned flags) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  Runtime& runtime = runtime_of(caller, "GOMP_parallel");
  const CallSite site{"GOMP_parallel", caller};
  const Unfolded why =
      fold_region({runtime, RegionBody(function, &data), site, threads, flags != 0});
  if (why == Unfolded::kFolded) return;
  threads = size_for(why, threads);
  fork_region(runtime, site, why, function, data, [&](abi::GompRegion body, void* argument) {
    runtime.real.GOMP_parallel(body, argument, threads, flags);
  });
}

MUSTER_ENTRY unsigned GOMP_parallel_reductions(abi::GompRegion function, void* data,
                                               unsigned threads, unsigned flags) {
  const void* const caller = MUSTER_CALLER;
  Runtime& runtime = runtime_for(caller, "GOMP_parallel_reductions");
  const auto real = required(runtime.real.GOMP_parallel_reductions, "GOMP_parallel_reductions");
  const Unfolded why = why_unfolded(runtime, caller, threads);
  threads = size_for(why, threads);
  const ForkScope scope(runtime, why, reinterpret_cast<const void*>(function),
                        {"GOMP_parallel_reductions", caller});
  unsigned size = 0;
  if (runtime.contains(caller) || !scope.wraps()) {
    scope.call([&] { size = real(function, data, threads, flags); });
  } else {
    ReducingRegion wrapped{*static_cast<void**>(data), {function, data, scope.whose()}};
    scope.call([&] { size = real(&ReducingRegion::run, &wrapped, threads, flags); });
  }
  return size;
}

// The form of gcc before 4.9: the program calls start, runs the function on the primary thread itself, and calls end.

MUSTER_ENTRY void GOMP_parallel_start(abi::GompRegion function, void* data, unsigned threads) {
  const void* const caller = MUSTER_CALLER;
  Runtime& runtime = runtime_for(caller, "GOMP_parallel_start");
  start_region(runtime, {"GOMP_parallel_start", caller}, function, data, threads,
               [&](abi::GompRegion body, void* argument) {
                 runtime.real.GOMP_parallel_start(body, argument, threads);
               });
}

MUSTER_ENTRY void GOMP_parallel_sections_start(abi::GompRegion function, void* data,
                                               unsigned threads, unsigned count) {
  const void* const caller = MUSTER_CALLER;
  Runtime& runtime = runtime_for(caller, "GOMP_parallel_sections_start");
  start_region(runtime, {"GOMP_parallel_sections_start", caller}, function, data, threads,
               [&](abi::GompRegion body, void* argument) {
                 runtime.real.GOMP_parallel_sections_start(body, argument, threads, count);
               });
}

MUSTER_ENTRY void GOMP_parallel_loop_runtime_start(abi::GompRegion function, void* data,
                                                   unsigned threads, long begin, long end,
                                                   long step) {
  const void* const caller = MUSTER_CALLER;
  Runtime& runtime = runtime_for(caller, "GOMP_parallel_loop_runtime_start");
  start_region(runtime, {"GOMP_parallel_loop_runtime_start", caller}, function, data, threads,
               [&](abi::GompRegion body, void* argument) {
                 runtime.real.GOMP_parallel_loop_runtime_start(body, argument, threads, begin, end,
                                                               step);
               });
}

#define MUSTER_LOOP_START(result, name, parameters)                                          \
  MUSTER_ENTRY void name(abi::GompRegion function, void* data, unsigned threads, long begin, \
                         long end, long step, long chunk) {                                  \
    const void* const caller = MUSTER_CALLER;                                                \
    Runtime& runtime = runtime_for(caller, #name);                                           \
    start_region(runtime, {#name, caller}, function, data, threads,                          \
                 [&](abi::GompRegion body, void* argument) {                                 \
                   runtime.real.name(body, argument, threads, begin, end, step, chunk);      \
                 });                                                                         \
  }
MUSTER_GOMP_PARALLEL_LOOP_STARTS(MUSTER_LOOP_START)

MUSTER_ENTRY void GOMP_parallel_end() {
  const void* const caller = MUSTER_CALLER;
  const Runtime& runtime = runtime_for(caller, "GOMP_parallel_end");
  StartedRegion* started = runtime.contains(caller) ? nullptr : StartedRegion::leave(runtime);
  runtime.real.GOMP_parallel_end();
  if (started != nullptr) started->close();
}

// Regions of a league are not replaced: its primary threads get an unknown frame.
MUSTER_ENTRY void GOMP_teams_reg(abi::GompRegion function, void* data, unsigned teams,
                                 unsigned threads, unsigned flags) {
  Runtime& runtime = runtime_for(MUSTER_CALLER, "GOMP_teams_reg");
  if (!runtime.replaced) {
    runtime.real.GOMP_teams_reg(function, data, teams, threads, flags);
    return;
  }
  GompRegion wrapped{function, data, RegionTeam{.runtime = &runtime}};
  runtime.real.GOMP_teams_reg(&GompRegion::run, &wrapped, teams, threads, flags);
}
