// A batch of small matrix products in an OpenMP loop, each thread calling BLAS for its own products; then, outside of
// the region, one large product by BLAS's own threads. Programs that are parallel themselves use BLAS in both ways.
// Which BLAS it is, and whether it forks a nested region inside a region, the environment decides.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  kRowMajor = 101,
  kNoTrans = 111,
  kSize = 48,
  kBatch = 64,
  kSide = 8 * kSize,
  kRounds = 3000
};

void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc);

static double g_a[kBatch][kSize * kSize], g_b[kBatch][kSize * kSize], g_c[kBatch][kSize * kSize];
static double g_large[kSide * kSide], g_product[kSide * kSide];

static double chance(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0 - 0.5;
}

static void multiply(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(kRowMajor, kNoTrans, kNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
}

// |C x - A (B x)|, with x of ones: a wrong product is very unlikely to pass.
static double error_of(int n, const double* a, const double* b, const double* c) {
  double worst = 0.0;
  double* sums = malloc(sizeof(double) * (size_t)n);
  if (sums == NULL) abort();
  for (int row = 0; row < n; ++row) {
    sums[row] = 0.0;
    for (int column = 0; column < n; ++column) sums[row] += b[row * n + column];
  }
  for (int row = 0; row < n; ++row) {
    double left = 0.0, right = 0.0;
    for (int column = 0; column < n; ++column) {
      left += c[row * n + column];
      right += a[row * n + column] * sums[column];
    }
    const double error = left > right ? left - right : right - left;
    if (!(error <= worst)) worst = error;
  }
  free(sums);
  return worst;
}

int main(void) {
  uint64_t state = 6, digest = 14695981039346656037u;
  for (int one = 0; one < kBatch; ++one) {
    for (int i = 0; i < kSize * kSize; ++i) {
      g_a[one][i] = chance(&state);
      g_b[one][i] = chance(&state);
    }
  }
  const double began = omp_get_wtime();
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int one = 0; one < kBatch; ++one) multiply(kSize, g_a[one], g_b[one], g_c[one]);
      // The next factors are the products, scaled so that they neither grow nor vanish.
#pragma omp for schedule(static)
      for (int one = 0; one < kBatch; ++one) {
        const double* next = g_c[(one + 1) % kBatch];
        for (int i = 0; i < kSize * kSize; ++i) g_a[one][i] = 0.25 * next[i] + 0.5 * g_a[one][i];
      }
    }
    if (round % 10 == 0) {
      for (int i = 0; i < kSide * kSide; ++i)
        g_large[i] = g_a[i / (kSize * kSize)][i % (kSize * kSize)];
      multiply(kSide, g_large, g_large, g_product);
    }
  }
  const double seconds = omp_get_wtime() - began;
  double error = error_of(kSide, g_large, g_large, g_product);
  for (int one = 0; one < kBatch; ++one) {
    multiply(kSize, g_a[one], g_b[one], g_c[one]);
    const double here = error_of(kSize, g_a[one], g_b[one], g_c[one]);
    if (!(here <= error)) error = here;
  }
  const unsigned char* bytes = (const unsigned char*)g_c;
  for (size_t i = 0; i < sizeof g_c; ++i) digest = (digest ^ bytes[i]) * 1099511628211u;
  printf(
      "{\"seconds\": %.6f, \"digest\": \"%016llx\", \"numbers\": {\"error\": %.17g, \"first\": "
      "%.17g}}\n",
      seconds, (unsigned long long)digest, error, g_c[0][0]);
  return 0;
}
