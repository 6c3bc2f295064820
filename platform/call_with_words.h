// Calls a function with a number of pointer-sized arguments that is known only at run time.
#pragma once

#include <cstddef>

namespace muster {

// All words for which the ABI has registers are read, even if there are fewer arguments.
inline constexpr std::size_t kFewestWords = 6;

}  // namespace muster

// Calls function(first, second, words[0], ..., words[count - 1]); `count` is at least kFewestWords. In assembly
// (call_with_words.S), since C++ has no such call. The function may be variadic.
extern "C" void muster_call_with_words(void (*function)(), void* first, void* second,
                                       void* const* words, std::size_t count);
