// Calls with a number of arguments that is known only at run time, of variadic and other functions.
#include "platform/call_with_words.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdint>
#include <vector>

namespace muster::test {
namespace {

constexpr std::uintptr_t kFirst = 7001, kSecond = 7002, kWords = 100;

std::size_t g_expected = 0;
std::size_t g_right = 0;

void variadic(void* first, void* second, ...) {
  g_right = reinterpret_cast<std::uintptr_t>(first) == kFirst;
  g_right += reinterpret_cast<std::uintptr_t>(second) == kSecond;
  va_list list;
  va_start(list, second);
  for (std::size_t i = 0; i < g_expected; ++i) {
    g_right += reinterpret_cast<std::uintptr_t>(va_arg(list, void*)) == kWords + i;
  }
  va_end(list);
}

using Word = std::uintptr_t;
void plain(Word first, Word second, Word a, Word b, Word c, Word d, Word e, Word f, Word g,
           Word h) {
  const Word words[] = {a, b, c, d, e, f, g, h};
  g_right = (first == kFirst) + (second == kSecond);
  for (std::size_t i = 0; i < g_expected; ++i) g_right += words[i] == kWords + i;
}

template <class Function>
void call(Function function, std::size_t count) {
  std::vector<void*> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = reinterpret_cast<void*>(kWords + i);
  g_expected = count;
  g_right = 0;
  muster_call_with_words(reinterpret_cast<void (*)()>(function), reinterpret_cast<void*>(kFirst),
                         reinterpret_cast<void*>(kSecond), words.data(), count);
}

TEST(CallWithWords, PassesAnyNumberToAVariadicFunction) {
  for (const unsigned count : {6U, 7U, 8U, 9U, 10U, 33U, 2047U, 2048U, 2049U, 5047U}) {
    call(&variadic, count);
    EXPECT_EQ(g_right, count + 2);
  }
}

TEST(CallWithWords, PassesWhatAFunctionTakes) {
  for (const unsigned count : {6U, 7U, 8U}) {
    call(&plain, count);
    EXPECT_EQ(g_right, count + 2);
  }
}

}  // namespace
}  // namespace muster::test
