// copyprivate of scalars, arrays, structs and classes, with tasks pending before, in teams of all
// sizes; and nothing but copyprivate, one after the other.
// muster-test: threads 9
// muster-test: replaced >= 5000
// muster-test: reason tasks
#include <string>
#include <vector>

#include "check.h"

struct Point {
  double x, y;
  char name[24];
};

static void one_after_the_other(int threads) {
#pragma omp parallel num_threads(threads)
  {
    long value = -1;
    for (int i = 0; i < 200; ++i) {
#pragma omp single copyprivate(value)
      value = i * 3L;
      expect(value == i * 3L);
      value = -1;  // no thread copies it any more
    }
  }
}

static void many_types(int threads) {
  long done = 0;
#pragma omp parallel num_threads(threads)
  for (int round = 0; round < kRounds; ++round) {
    int numbers[40] = {0};
    Point point{};
    std::string text = "nothing";
    std::vector<long> list(3, -1);
    late(round);
    if (round % 4 == 1) {
#pragma omp task shared(done)
      __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    }
#pragma omp single copyprivate(numbers, point, text, list)
    {
      for (int i = 0; i < 40; ++i) numbers[i] = round + i;
      point = {round * 0.5, -1, "somewhere"};
      text.assign(std::size_t(100 + round), 'a');
      list.assign(std::size_t(round), round);
    }
    for (int i = 0; i < 40; ++i) expect(numbers[i] == round + i);
    expect(point.x == round * 0.5 && point.name[8] == 'e');
    expect(text == std::string(std::size_t(100 + round), 'a'));
    expect(list == std::vector<long>(std::size_t(round), round));
    expect(__atomic_load_n(&done, __ATOMIC_RELAXED) == threads * ((round + 3) / 4L));
#pragma omp barrier
  }
}

int main() {
  for (int threads = 1; threads <= 9; ++threads) {
    one_after_the_other(threads);
    many_types(threads);
  }
  return verdict("copyprivate_types", 9);
}
