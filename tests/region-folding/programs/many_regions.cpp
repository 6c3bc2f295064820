// A thousand regions, each with a function of its own, run in several orders.
// muster-test: folded >= 2900
// muster-test: auto
#include <array>
#include <utility>

#include "trap.h"

template <int number>
long region() {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += number * (omp_get_thread_num() + 1);
  return sum;
}

template <int... numbers>
constexpr auto all(std::integer_sequence<int, numbers...>) {
  return std::array<long (*)(), sizeof...(numbers)>{&region<numbers>...};
}

int main() {
  constexpr auto table = all(std::make_integer_sequence<int, 1000>());
  long sum = 0;
  for (const auto function : table) sum = (sum * 3 + function()) % 1000003;
  printf("forth: %ld\n", sum);
  for (unsigned i = table.size(); i-- > 0;) sum = (sum * 3 + table[i]()) % 1000003;
  printf("back: %ld\n", sum);
  for (unsigned i = 0; i < table.size(); ++i) {
    sum = (sum * 3 + table[i * 37 % table.size()]()) % 1000003;
  }
  printf("across: %ld\n", sum);
  return finish();
}
