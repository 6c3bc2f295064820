// A Fourier transform of 2^SIZE points, radix 2, there and back again: a region for the bit reversal
// and one a stage.
//
// The signal is a sum of a few tones, whose spectrum is known; and what comes back must be the signal.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernel.h"

namespace {

struct Complex {
  double re = 0, im = 0;
};
using Signal = std::vector<Complex>;

struct Tone {
  long frequency;
  double amplitude;
};
constexpr Tone kTones[] = {{1, 3}, {5, 2}, {11, 7}, {13, 1}};

constexpr double kTurn = 6.283185307179586;
constexpr double kPhase = 1;  // of each tone

double distance(const Complex& a, const Complex& b) { return std::hypot(a.re - b.re, a.im - b.im); }

long reversed(long index, long bits) {
  long result = 0;
  for (long bit = 0; bit < bits; ++bit) result |= ((index >> bit) & 1) << (bits - 1 - bit);
  return result;
}

Signal roots_of_one(long n) {
  Signal roots(n / 2);
  for (long k = 0; k < n / 2; ++k) {
    const double angle = -kTurn * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

// `sign` is 1 there and -1 back.
void transform(const Signal& in, Signal& out, const Signal& roots, long bits, double sign) {
  const long n = 1L << bits;
#pragma omp parallel for
  for (long i = 0; i < n; ++i) out[i] = in[reversed(i, bits)];
  for (long stage = 0; stage < bits; ++stage) {
    const long half = 1L << stage, stride = n >> (stage + 1);
#pragma omp parallel for
    for (long butterfly = 0; butterfly < n / 2; ++butterfly) {
      const long k = butterfly & (half - 1);
      Complex& upper = out[2 * (butterfly - k) + k];
      Complex& lower = out[2 * (butterfly - k) + k + half];
      const double re = roots[k * stride].re, im = sign * roots[k * stride].im;
      const Complex turned = {lower.re * re - lower.im * im, lower.re * im + lower.im * re};
      lower = {upper.re - turned.re, upper.im - turned.im};
      upper = {upper.re + turned.re, upper.im + turned.im};
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const long bits = size_of(count, words, 11, 5, 24),
             repetitions = repetitions_of(count, words, 21);
  const long n = 1L << bits;
  Signal signal(n), spectrum(n), back(n);
  const Signal roots = roots_of_one(n);
  Signal expected(n);
  for (const Tone& tone : kTones) {
    const Complex half = {tone.amplitude / 2 * std::cos(kPhase),
                          tone.amplitude / 2 * std::sin(kPhase)};
    expected[tone.frequency] = half;
    expected[n - tone.frequency] = {half.re, -half.im};
    for (long i = 0; i < n; ++i) {
      const double part = static_cast<double>(i * tone.frequency % n) / static_cast<double>(n);
      signal[i].re += tone.amplitude * std::cos(kTurn * part + kPhase);
    }
  }

  const Signal original = signal;
  const double scale = 1 / static_cast<double>(n);
  const double begin = now();
  for (long repetition = 0; repetition < repetitions; ++repetition) {
    transform(signal, spectrum, roots, bits, 1);
    transform(spectrum, back, roots, bits, -1);
#pragma omp parallel for
    for (long i = 0; i < n; ++i) signal[i] = {back[i].re * scale, back[i].im * scale};
  }
  const double seconds = now() - begin;

  bool good = true;
  std::uint64_t checksum = 0;
  for (long i = 0; i < n; ++i) {
    const Complex share = {spectrum[i].re * scale, spectrum[i].im * scale};
    good = good && distance(share, expected[i]) < 1e-9 && distance(signal[i], original[i]) < 1e-9;
    checksum = mixed(checksum, std::llround(1000 * share.re));
    checksum = mixed(checksum, std::llround(1000 * share.im));
  }
  return conclude("fft", good, checksum, seconds);
}
