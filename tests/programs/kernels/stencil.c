// The temperature of a plate whose border is held, by red-black over-relaxation until nothing
// changes any more: two regions a sweep, each with a reduction(max) on which the serial part depends.
//
// The border holds x^2 - y^2. The second differences of that cancel each other, so it is exactly what
// the five-point formula has as its solution inside as well. A serial run takes the same steps.
#include <math.h>
#include <string.h>

#include "kernel.h"

static const double kTolerance = 1e-10;

static double solution(long i, long j, long n) {
  double x = (double)i / (double)(n + 1), y = (double)j / (double)(n + 1);
  return x * x - y * y;
}

// Relaxes the points of one colour in a row; their neighbours are all of the other colour. Returns
// the largest change.
static double relax_row(double* grid, long n, long i, long colour, double factor) {
  long width = n + 2;
  double* row = grid + i * width;
  double most = 0;
  for (long j = 1 + (i + colour) % 2; j <= n; j += 2) {
    double mean = 0.25 * (row[j - width] + row[j + width] + row[j - 1] + row[j + 1]);
    double change = factor * (mean - row[j]);
    row[j] += change;
    most = fmax(most, fabs(change));
  }
  return most;
}

static double relax(double* grid, long n, long colour, double factor) {
  double most = 0;
#pragma omp parallel for reduction(max : most)
  for (long i = 1; i <= n; ++i) most = fmax(most, relax_row(grid, n, i, colour, factor));
  return most;
}

static double relax_serially(double* grid, long n, long colour, double factor) {
  double most = 0;
  for (long i = 1; i <= n; ++i) most = fmax(most, relax_row(grid, n, i, colour, factor));
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

// Returns the number of sweeps; twenty times as many as it takes, if it never ends.
static long solve(double* grid, long n, double (*relax_colour)(double*, long, long, double)) {
  double factor = 2 / (1 + sin(3.14159265358979 / (double)(n + 1)));  // the best there is
  double change = 1;
  long sweeps = 0;
  while (change > kTolerance && sweeps < 100 * (n + 1)) {
    double red = relax_colour(grid, n, 0, factor), black = relax_colour(grid, n, 1, factor);
    change = fmax(red, black);
    ++sweeps;
  }
  return sweeps;
}

int main(int count, char** words) {
  long n = size_of(count, words, 48, 2, 8192), repetitions = repetitions_of(count, words, 3);
  size_t bytes = (size_t)((n + 2) * (n + 2)) * sizeof(double);
  double *grid = malloc(bytes), *expected = malloc(bytes);
  if (grid == NULL || expected == NULL) return 3;
  prepare(expected, n);
  long expected_sweeps = solve(expected, n, relax_serially);

  int good = 1;
  double seconds = 0;
  for (long repetition = 0; repetition < repetitions; ++repetition) {
    prepare(grid, n);
    double begin = now();
    long sweeps = solve(grid, n, relax);
    seconds += now() - begin;
    good = good && sweeps == expected_sweeps && memcmp(grid, expected, bytes) == 0;
  }

  uint64_t checksum = mixed(0, expected_sweeps);
  for (long i = 1; i <= n; ++i) {
    for (long j = 1; j <= n; ++j) {
      double value = grid[i * (n + 2) + j];
      good = good && fabs(value - solution(i, j, n)) < 1e-6;
      checksum = mixed(checksum, (int64_t)(value * 1e12));
    }
  }
  free(grid);
  free(expected);
  return conclude("stencil", good, checksum, seconds);
}
