// Collapsed loops and loops over long, unsigned long long and descending indices, lastprivate and
// linear.
// muster-test: replaced >= 48
#include "check.h"

enum { kA = 7, kB = 9, kC = 5 };
static long cube[kA][kB][kC];
static long item[100];

int main(void) {
  long long checksum = 0;
  const unsigned long long base = 0xfffffffffffff000ULL;
  long last = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    late(round);
#pragma omp for collapse(3) schedule(dynamic, 4)  // MUTANT: nowait
    for (int a = 0; a < kA; ++a) {
      for (int b = 0; b < kB; ++b) {
        for (int c = 0; c < kC; ++c) {
          if (a * b * c == 0 && a + b + c == round) nap(30);
          cube[a][b][c] = mark(round, a * 100 + b * 10 + c);
        }
      }
    }
    for (int a = 0; a < kA; ++a) {
      for (int b = 0; b < kB; ++b) {
        for (int c = 0; c < kC; ++c) expect(cube[a][b][c] == mark(round, a * 100 + b * 10 + c));
      }
    }
#pragma omp barrier
    late(round);
#pragma omp for schedule(dynamic, 3)
    for (unsigned long long i = base; i < base + 100; ++i) item[i - base] = mark(round, 1);
    for (int i = 0; i < 100; ++i) expect(item[i] == mark(round, 1));
#pragma omp barrier
    late(round);
#pragma omp for schedule(static) lastprivate(last)
    for (long i = 99; i >= 0; i -= 1) {
      item[i] = mark(round, 2);
      last = i + round;
    }
    expect(last == round);
    for (int i = 0; i < 100; ++i) expect(item[i] == mark(round, 2));
#pragma omp barrier
    late(round);
#pragma omp for schedule(guided)
    for (unsigned char i = 0; i < 100; ++i) item[i] = mark(round, i);
    for (int i = 0; i < 100; ++i) expect(item[i] == mark(round, i));
#pragma omp barrier
    int step = 5;
#pragma omp for linear(step : 2) schedule(static, 8)
    for (int i = 0; i < 100; ++i) {
      item[i] = step;
      step += 2;
    }
    for (int i = 0; i < 100; ++i) expect(item[i] == 5 + 2 * i);
#pragma omp barrier
  }
  for (int a = 0; a < kA; ++a) checksum += cube[a][a][a % kC];
  return verdict("loop_types", checksum + last);
}
