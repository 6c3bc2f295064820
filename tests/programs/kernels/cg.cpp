// Conjugate gradients on a sparse matrix, the Laplacian of a square grid: five short regions an
// iteration, each a loop over vectors, two of them with a sum that the next one needs.
//
// The right side is made from a solution of small whole numbers. A sum's last digits depend on the
// threads, so the number of iterations may, too; the rounded solution may not.
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel.h"

namespace {

using Vector = std::vector<double>;

struct Matrix {  // compressed rows
  std::vector<long> start;
  std::vector<int> column;
  Vector value;

  long rows() const { return static_cast<long>(start.size()) - 1; }
};

Matrix laplacian(long n) {
  Matrix matrix;
  matrix.start.push_back(0);
  for (long row = 0; row < n * n; ++row) {
    const long i = row / n, j = row % n;
    auto add = [&](bool inside, long column, double value) {
      if (!inside) return;
      matrix.column.push_back(static_cast<int>(column));
      matrix.value.push_back(value);
    };
    add(i > 0, row - n, -1);
    add(j > 0, row - 1, -1);
    add(true, row, 4);
    add(j < n - 1, row + 1, -1);
    add(i < n - 1, row + n, -1);
    matrix.start.push_back(static_cast<long>(matrix.column.size()));
  }
  return matrix;
}

void multiply(const Matrix& matrix, const Vector& x, Vector& y) {
#pragma omp parallel for
  for (long row = 0; row < matrix.rows(); ++row) {
    double sum = 0;
    for (long k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
      sum += matrix.value[k] * x[matrix.column[k]];
    }
    y[row] = sum;
  }
}

double dot(const Vector& x, const Vector& y) {
  const long n = static_cast<long>(x.size());
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// y = a x + b y
void combine(double a, const Vector& x, double b, Vector& y) {
  const long n = static_cast<long>(x.size());
#pragma omp parallel for
  for (long i = 0; i < n; ++i) y[i] = a * x[i] + b * y[i];
}

// Returns whether it converged.
bool solve(const Matrix& matrix, const Vector& right, Vector& x) {
  x.assign(right.size(), 0);
  Vector residual = right, direction = right, image(right.size());
  double square = dot(residual, residual);
  const double goal = square * 1e-22;
  for (long iteration = 0; iteration < matrix.rows() + 100; ++iteration) {
    if (square <= goal) return true;
    multiply(matrix, direction, image);
    const double step = square / dot(direction, image);
    combine(step, direction, 1, x);
    combine(-step, image, 1, residual);
    const double next = dot(residual, residual);
    combine(1, residual, next / square, direction);
    square = next;
  }
  return false;
}

}  // namespace

int main(int count, char** words) {
  const long n = size_of(count, words, 32, 2, 4096), repetitions = repetitions_of(count, words, 3);
  const Matrix matrix = laplacian(n);
  Vector solution(n * n), right(n * n), x;
  for (long i = 0; i < n * n; ++i) solution[i] = static_cast<double>(scrambled(i) % 17) - 8;
  multiply(matrix, solution, right);

  bool good = true;
  const double begin = now();
  for (long repetition = 0; repetition < repetitions; ++repetition) {
    good = solve(matrix, right, x) && good;
  }
  const double seconds = now() - begin;

  std::uint64_t checksum = 0;
  for (long i = 0; i < n * n; ++i) {
    good = good && std::abs(x[i] - solution[i]) < 1e-4;
    checksum = mixed(checksum, std::llround(x[i]));
  }
  return conclude("cg", good, checksum, seconds);
}
