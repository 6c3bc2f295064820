// The temperature of a plate whose border is held, by red-black over-relaxation until nothing
// changes any more: two regions a sweep, each with a reduction(max) on which the serial part depends.
//
// The border holds x^2 - y^2. The second differences of that cancel each other, so it is exactly what
// the five-point formula has as its solution inside as well.
#include <math.h>

#include "kernel.h"

static const double kTolerance = 1e-10;

static double solution(long i, long j, long n) {
  double x = (double)i / (double)(n + 1), y = (double)j / (double)(n + 1);
  return x * x - y * y;
}

// Relaxes the points of one colour, which have neighbours of the other colour only.
static double relax(double* grid, long n, long colour, double factor) {
  long width = n + 2;
  double most = 0;
#pragma omp parallel for reduction(max : most)
  for (long i = 1; i <= n; ++i) {
    double* row = grid + i * width;
    for (long j = 1 + (i + colour) % 2; j <= n; j += 2) {
      double mean = 0.25 * (row[j - width] + row[j + width] + row[j - 1] + row[j + 1]);
      double change = factor * (mean - row[j]);
      row[j] += change;
      most = fmax(most, fabs(change));
    }
  }
  return most;
}

static void prepare(double* grid, long n) {
  for (long i = 0; i <= n + 1; ++i) {
    for (long j = 0; j <= n + 1; ++j) {
      int border = i == 0 || j == 0 || i == n + 1 || j == n + 1;
      grid[i * (n + 2) + j] = border ? solution(i, j, n) : 0;
    }
  }
}

int main(int count, char** words) {
  long n = size_of(count, words, 48, 2, 8192), repetitions = repetitions_of(count, words, 3);
  double* grid = malloc((size_t)((n + 2) * (n + 2)) * sizeof *grid);
  if (grid == NULL) return 3;
  double factor = 2 / (1 + sin(3.14159265358979 / (double)(n + 1)));  // the best there is
  long sweeps = 0, most_sweeps = 20 * (n + 10) * repetitions;

  double seconds = 0;
  for (long repetition = 0; repetition < repetitions; ++repetition) {
    prepare(grid, n);
    double begin = now(), change = 1;
    while (change > kTolerance && sweeps < most_sweeps) {
      double red = relax(grid, n, 0, factor), black = relax(grid, n, 1, factor);
      change = fmax(red, black);
      ++sweeps;
    }
    seconds += now() - begin;
  }

  int good = sweeps < most_sweeps;
  uint64_t checksum = mixed(0, sweeps);
  for (long i = 1; i <= n; ++i) {
    for (long j = 1; j <= n; ++j) {
      double value = grid[i * (n + 2) + j];
      good = good && fabs(value - solution(i, j, n)) < 1e-6;
      checksum = mixed(checksum, (int64_t)(value * 1e12));
    }
  }
  free(grid);
  return conclude("stencil", good, checksum, seconds);
}
