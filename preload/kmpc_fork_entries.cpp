// Parallel regions of code compiled by clang. Each gets a team frame around its function.
#include <cstdarg>
#include <type_traits>
#include <utility>

#include "platform/words_only.h"
#include "preload/entry.h"
#include "runtime-hooks/folding/root_fold.h"
#include "runtime-hooks/teams/region.h"

namespace muster {
namespace {

using VariadicFork = void (*)(abi::Ident*, std::int32_t, abi::Microtask, ...);

// The word before the arguments is for the function. Not inlined, as others below: a fork takes one of these paths, and
// its stack frame need not be large enough for all of them.
__attribute__((noinline)) void fork_unwrapped(VariadicFork fork, abi::Ident* where,
                                              std::int32_t count, abi::Microtask function,
                                              void** arguments) {
  if (count <= kDirectlyPassed) {
    call_with_few([&](auto... each) { fork(where, count, function, each...); }, arguments, count);
    return;
  }
  arguments[-1] = reinterpret_cast<void*>(function);
  muster_call_with_words(reinterpret_cast<void (*)()>(fork), where,
                         reinterpret_cast<void*>(std::intptr_t{count}), arguments - 1,
                         static_cast<std::size_t>(count) + 1);
}

template <std::size_t... Index>
void fork_directly(VariadicFork fork, abi::Ident* where, abi::Microtask function, Team* team,
                   void* const* arguments, std::index_sequence<Index...>) {
  const auto run = &run_directly<std::conditional_t<true, void*, decltype(Index)>...>;
  fork(where, 2 + sizeof...(Index), reinterpret_cast<abi::Microtask>(run),
       reinterpret_cast<void*>(function), static_cast<void*>(team), arguments[Index]...);
}

__attribute__((noinline)) void fork_recorded(VariadicFork fork, abi::Ident* where,
                                             std::int32_t count, abi::Microtask function,
                                             void* const* arguments, const RegionTeam& whose) {
  KmpcRegion region{RegionRecord(RegionBody(function, count, arguments)), whose};
  fork(where, 1, KmpcRegion::wrapper(), static_cast<void*>(&region));
}

inline void fork_wrapped(VariadicFork fork, abi::Ident* where, std::int32_t count,
                         abi::Microtask function, void* const* arguments, const RegionTeam* whose) {
  if (whose->team != nullptr && count <= kDirectArguments) {
    const auto directly = [&](auto indices) {
      fork_directly(fork, where, function, whose->team, arguments, indices);
    };
    switch (count) {
      case 0:
        return directly(std::make_index_sequence<0>());
      case 1:
        return directly(std::make_index_sequence<1>());
      case 2:
        return directly(std::make_index_sequence<2>());
      case 3:
        return directly(std::make_index_sequence<3>());
      case 4:
        return directly(std::make_index_sequence<4>());
    }
  }
  fork_recorded(fork, where, count, function, arguments, *whose);
}

__attribute__((noinline)) void fork_call(abi::Ident* where, std::int32_t count,
                                         abi::Microtask function, void** arguments,
                                         const void* caller) {
  ensure_ready();
  Runtime& runtime = runtime_of(caller, "__kmpc_fork_call");
  const VariadicFork fork = runtime.real.__kmpc_fork_call;
  if (runtime.contains(caller)) return fork_unwrapped(fork, where, count, function, arguments);
  const CallSite site{"__kmpc_fork_call", caller};
  Unfolded why = Unfolded::kNotReplaced;
  if (runtime.replaced) {
    why = run_folded({runtime, RegionBody(function, count, arguments), site});
  }
  if (why == Unfolded::kFolded) return;
  const ForkScope scope(runtime, why, reinterpret_cast<const void*>(function), site);
  if (scope.wraps()) {
    scope.call(fork_wrapped, fork, where, count, function, arguments, &scope.whose());
  } else {
    fork_unwrapped(fork, where, count, function, arguments);
  }
}

// Adds `change` to the number of serialized regions inside the calling thread's frame.
void note_serialized(const Runtime& runtime, const void* caller, int change) {
  const ThreadState* state = t_thread_state;
  Frame* frame = state != nullptr ? state->top : nullptr;
  if (frame == nullptr || frame->team == nullptr || &frame->team->runtime() != &runtime) return;
  if (runtime.contains(caller)) return;  // within a fork that Muster wraps
  frame->serialized = static_cast<unsigned>(static_cast<int>(frame->serialized) + change);
}

}  // namespace
}  // namespace muster

using namespace muster;

// Any number of arguments, each a pointer-sized word.
#define MUSTER_COLLECT_ARGUMENTS(last, count, arguments)                                    \
  auto** const arguments = 1 + static_cast<void**>(__builtin_alloca(                        \
                                   sizeof(void*) * (static_cast<std::size_t>(count) + 1))); \
  {                                                                                         \
    va_list list;                                                                           \
    va_start(list, last);                                                                   \
    for (std::int32_t i = 0; i < count; ++i) arguments[i] = va_arg(list, void*);            \
    va_end(list);                                                                           \
  }

MUSTER_ENTRY MUSTER_WORDS_ONLY void __kmpc_fork_call(abi::Ident* where, std::int32_t count,
                                                     abi::Microtask function, ...) {
  const void* const caller = MUSTER_CALLER;
  MUSTER_COLLECT_ARGUMENTS(function, count, arguments)
  fork_call(where, count, function, arguments, caller);
}

MUSTER_ENTRY void __kmpc_fork_call_if(abi::Ident* where, std::int32_t count,
                                      abi::Microtask function, std::int32_t condition,
                                      void* argument) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  Runtime& runtime = runtime_of(caller, "__kmpc_fork_call_if");
  const auto real = required(runtime.real.__kmpc_fork_call_if, "__kmpc_fork_call_if");
  // The one argument, if there is one, is passed to the function directly.
  const RegionBody body(function, argument != nullptr ? 1 : 0, &argument);
  const CallSite site{"__kmpc_fork_call_if", caller};
  Unfolded why = Unfolded::kNotReplaced;
  if (runtime.replaced) why = run_folded({runtime, body, site, 0, condition == 0});
  if (why == Unfolded::kFolded) return;
  const ForkScope scope(runtime, why, reinterpret_cast<const void*>(function), site);
  if (!scope.wraps()) {
    real(where, count, function, condition, argument);
    return;
  }
  KmpcRegion region{RegionRecord(body), scope.whose()};
  scope.call([&] { real(where, 1, KmpcRegion::wrapper(), condition, &region); });
}

// Regions of a league are not replaced: its primary threads get an unknown frame.
MUSTER_ENTRY void __kmpc_fork_teams(abi::Ident* where, std::int32_t count, abi::Microtask function,
                                    ...) {
  const void* const caller = MUSTER_CALLER;
  MUSTER_COLLECT_ARGUMENTS(function, count, arguments)
  entering("__kmpc_fork_teams", caller);
  Runtime& runtime = runtime_of(caller, "__kmpc_fork_teams");
  const auto real = runtime.real.__kmpc_fork_teams;
  if (!runtime.replaced || runtime.contains(caller)) {
    fork_unwrapped(real, where, count, function, arguments);
  } else {
    const RegionTeam unknown{.runtime = &runtime};
    fork_wrapped(real, where, count, function, arguments, &unknown);
  }
}

MUSTER_ENTRY void __kmpc_serialized_parallel(abi::Ident* where, abi::GlobalThread thread) {
  const void* const caller = MUSTER_CALLER;
  entering("__kmpc_serialized_parallel", caller);
  const Runtime& runtime = runtime_of(caller, "__kmpc_serialized_parallel");
  if (Fold* fold = root_fold(&runtime); fold != nullptr) fold->note_serialized();
  note_serialized(runtime, caller, +1);
  runtime.real.__kmpc_serialized_parallel(where, thread);
}

// Sets the size of the calling thread's next region.
MUSTER_ENTRY void __kmpc_push_num_threads(abi::Ident* where, abi::GlobalThread thread,
                                          std::int32_t size) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  const Runtime& runtime = runtime_of(caller, "__kmpc_push_num_threads");
  if (Fold* fold = runtime.replaced ? root_fold(&runtime) : nullptr; fold != nullptr) {
    if (fold->keeps_size(runtime, where, size, {"__kmpc_push_num_threads", caller})) return;
  }
  required(runtime.real.__kmpc_push_num_threads, "__kmpc_push_num_threads")(where, thread, size);
}

MUSTER_ENTRY void __kmpc_end_serialized_parallel(abi::Ident* where, abi::GlobalThread thread) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  const Runtime& runtime = runtime_of(caller, "__kmpc_end_serialized_parallel");
  runtime.real.__kmpc_end_serialized_parallel(where, thread);
  note_serialized(runtime, caller, -1);
}
