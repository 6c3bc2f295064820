// Calling a function with a number of pointer-sized arguments that is known at run time only.
//
// In every ABI that Muster runs on the caller removes the arguments and a callee ignores those it
// does not take, so the next larger of a few fixed numbers serves for each.
#pragma once

#include <cstddef>
#include <utility>

namespace muster {

inline constexpr int kMostArguments = 2048;  // compilers give up far earlier

namespace detail {

template <class Call, std::size_t... Index>
void call_padded(Call&& call, void* const* arguments, int count, std::index_sequence<Index...>) {
  void* padded[sizeof...(Index)] = {};
  for (int i = 0; i < count; ++i) padded[i] = arguments[i];
  call(padded[Index]...);
}

template <class Call, std::size_t... Index>
void call_unpadded(Call&& call, void* const* arguments, int count, std::index_sequence<Index...>) {
  call((static_cast<int>(Index) < count ? arguments[Index] : nullptr)...);
}

}  // namespace detail

// call(a0, a1, ...) with up to kDirectlyPassed arguments, without a copy in memory.
inline constexpr int kDirectlyPassed = 6;
template <class Call>
void call_with_few(Call&& call, void* const* arguments, int count) {
  detail::call_unpadded(call, arguments, count, std::make_index_sequence<kDirectlyPassed>());
}

// call(a0, a1, ...) with at least `count` arguments, the rest null.
template <class Call>
void call_with_arguments(Call&& call, void* const* arguments, int count) {
  if (count <= kDirectlyPassed) {
    call_with_few(call, arguments, count);
  } else if (count <= 32) {
    detail::call_padded(call, arguments, count, std::make_index_sequence<32>());
  } else if (count <= 256) {
    detail::call_padded(call, arguments, count, std::make_index_sequence<256>());
  } else {
    detail::call_padded(call, arguments, count, std::make_index_sequence<kMostArguments>());
  }
}

}  // namespace muster
