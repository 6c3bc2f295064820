// Calls a function with a number of pointer-sized arguments that is known at run time only.
//
// In every ABI that Muster supports the caller removes the arguments and a callee ignores those that it does not
// take. So up to a fixed number, that number is always passed. More arguments, any number of them, are passed by
// machine code (platform/call_with_words.h).
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
