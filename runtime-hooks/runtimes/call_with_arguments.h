// Calling a function with a number of pointer-sized arguments that is known at run time only.
//
// In every ABI that Muster runs on the caller removes the arguments and a callee ignores those it
// does not take, so a fixed number serves for each up to it. More take machine code.
#pragma once

#include <cstddef>
#include <utility>

#include "platform/call_with_words.h"

namespace muster {

namespace detail {

template <class Call, std::size_t... Index>
void call_unpadded(Call&& call, void* const* arguments, int count, std::index_sequence<Index...>) {
  call((static_cast<int>(Index) < count ? arguments[Index] : nullptr)...);
}

}  // namespace detail

// call(a0, a1, ...) with up to kDirectlyPassed arguments, without a copy in memory.
inline constexpr int kDirectlyPassed = 6;
static_assert(kDirectlyPassed + 1 >= kFewestWords);
template <class Call>
void call_with_few(Call&& call, void* const* arguments, int count) {
  detail::call_unpadded(call, arguments, count, std::make_index_sequence<kDirectlyPassed>());
}

}  // namespace muster
