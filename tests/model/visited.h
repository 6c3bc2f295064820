// The visited states, as 128-bit hashes: the probability that two of 10^8 states share one is 10^-22.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/model/state.h"

namespace muster::model {

struct Hash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

inline Hash hash_of(const State& state) {
  const auto folded = [](std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto* bytes = reinterpret_cast<const unsigned char*>(&state);
  const std::size_t size = state.bytes();
  Hash out{0x243F6A8885A308D3U, 0x13198A2E03707344U};
  for (std::size_t i = 0; i < size; i += 16) {
    std::uint64_t word[2] = {};
    std::memcpy(word, bytes + i, size - i < 16 ? size - i : 16);
    out.low = folded(out.low ^ word[0], 0x9E3779B97F4A7C15U ^ word[1]);
    out.high = folded(out.high ^ word[1], 0xD6E8FEB86659FD93U ^ word[0]) + out.low;
  }
  if (out.low == 0 && out.high == 0) out.low = 1;  // zeros mark a free slot
  return out;
}

class Visited {
 public:
  Visited() : places_(1U << 12) {}

  // False if it was there already.
  bool insert(Hash hash) {
    if (2 * (size_ + 1) > places_.size()) grow();
    if (!put(places_, hash)) return false;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  static bool put(std::vector<Hash>& places, Hash hash) {
    const std::size_t mask = places.size() - 1;
    for (std::size_t i = hash.low & mask;; i = (i + 1) & mask) {
      Hash& place = places[i];
      if (place.low == hash.low && place.high == hash.high) return false;
      if (place.low != 0 || place.high != 0) continue;
      place = hash;
      return true;
    }
  }
  void grow() {
    std::vector<Hash> larger(2 * places_.size());
    for (const Hash& hash : places_) {
      if (hash.low != 0 || hash.high != 0) put(larger, hash);
    }
    places_.swap(larger);
  }

  std::vector<Hash> places_;
  std::size_t size_ = 0;
};

}  // namespace muster::model
