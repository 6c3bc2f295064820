// Merge sort of SIZE numbers: a region fills them, one sorts them by tasks, each of which sorts a half and waits for it.
#include <string.h>

#include "kernel.h"

enum { kShort = 64 };  // sorted without tasks, in a few microseconds

static uint64_t number_at(long i, long repetition) {
  return scrambled((uint64_t)repetition << 32 | (uint64_t)i);
}

static void insertion_sort(uint64_t* numbers, long count) {
  for (long i = 1; i < count; ++i) {
    const uint64_t number = numbers[i];
    long at = i;
    for (; at > 0 && numbers[at - 1] > number; --at) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
}

static void merge(uint64_t* numbers, long half, long count, uint64_t* space) {
  memcpy(space, numbers, (size_t)half * sizeof *numbers);
  long left = 0, right = half;
  for (long at = 0; left < half; ++at) {
    const int from_right = right < count && numbers[right] < space[left];
    numbers[at] = from_right ? numbers[right++] : space[left++];
  }
}

static void sort(uint64_t* numbers, long count, uint64_t* space) {
  if (count <= kShort) {
    insertion_sort(numbers, count);
    return;
  }
  const long half = count / 2;
#pragma omp task
  sort(numbers, half, space);
#pragma omp task
  sort(numbers + half, count - half, space + half);
#pragma omp taskwait
  merge(numbers, half, count, space);
}

int main(int count, char** words) {
  const long size = size_of(count, words, 1000, 2, 10000000),
             repetitions = repetitions_of(count, words, 60);
  uint64_t* numbers = malloc((size_t)size * sizeof *numbers);
  uint64_t* space = malloc((size_t)size * sizeof *space);
  if (numbers == NULL || space == NULL) return 1;
  int good = 1;
  uint64_t checksum = 0;
  double seconds = 0;
  for (long repetition = 0; repetition < repetitions; ++repetition) {
    uint64_t before = 0, after = 0;
    long wrong = 0;
#pragma omp parallel for reduction(+ : before)
    for (long i = 0; i < size; ++i) before += numbers[i] = number_at(i, repetition);
    const double begin = now();
#pragma omp parallel
#pragma omp single
    sort(numbers, size, space);
    seconds += now() - begin;
#pragma omp parallel for reduction(+ : after, wrong)
    for (long i = 0; i < size; ++i) {
      after += numbers[i];
      wrong += i > 0 && numbers[i - 1] > numbers[i];
    }
    good = good && wrong == 0 && before == after;
    checksum = mixed(checksum, (int64_t)numbers[size / 2]);
  }
  free(numbers);
  free(space);
  return conclude("mergesort", good, checksum, seconds);
}
