// Calling a function with any number of pointer-sized arguments, known at run time only.
#pragma once

#include <cstddef>

namespace muster {

// Words that an ABI has registers for may be read whether or not there are so many.
inline constexpr std::size_t kFewestWords = 6;

}  // namespace muster

// function(first, second, words[0], ..., words[count - 1]); `count` is at least kFewestWords. Machine code
// (call_with_words.S), since C++ has no such call. The function may be a variadic one.
extern "C" void muster_call_with_words(void (*function)(), void* first, void* second,
                                       void* const* words, std::size_t count);
