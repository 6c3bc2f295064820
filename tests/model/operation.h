// The next operation of a thread on shared memory, and the ways in which it may continue.
#pragma once

#include <atomic>
#include <cstdint>
#include <source_location>

#include "tests/model/state.h"

namespace muster::model {

enum class Kind : std::uint8_t {
  kNothing,
  kLoad,
  kStore,
  kAdd,
  kExchange,
  kCompareExchange,
  kLightFence,
  kHeavyFence,
  kFullFence,
  kAcquireFence,
  kReleaseFence,
  kDrain,
  kWait,
  kWake,
  kRealBarrier,
};

struct Operation {
  Kind kind = Kind::kNothing;
  std::uint8_t location = 0;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failed = std::memory_order_relaxed;  // of a compare-and-swap
  std::uint16_t site = 0;
  bool limited = false;
  std::uint64_t value = 0;  // to be stored, added, or waited on
  std::uint64_t expected = 0;
  std::uint64_t mask = ~std::uint64_t{0};  // of the type's bits
};

// One way for one thread to continue.
enum class Way : std::uint8_t {
  kPlain,       // at `position`: the message read, or after which the new one comes
  kFailed,      // a compare-and-swap that reads at `position` and stores nothing
  kNews,        // a poll: the loop goes on until it meets the message at `position` of `location`
  kNoNews,      // a poll: the loop ends by itself, without meeting one
  kSleep,       // the word has the expected value: asleep
  kTurnedAway,  // the word has another value: returns at once
  kForNothing,  // the sleep ends spuriously
  kTimeOut,     // the sleep ends by its limit
};

struct Choice {
  std::uint8_t thread = 0;
  Way way = Way::kPlain;
  std::uint8_t location = 0;
  Position position = 0;
};

// Where in the sources an operation stands.
using Place = std::source_location;

}  // namespace muster::model
