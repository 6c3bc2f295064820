// Messages and the network they are in. Every one takes the same time (LogP's L, with neither overhead
// nor gap), so that they arrive in the order in which they were sent: a ring is all the queue there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/cluster/run.h"

namespace muster::cluster {

// Of a read; and of barriers: towards their root, back from it, and a dissemination barrier's rounds.
enum class MessageKind : std::uint8_t { kRequest, kResponse, kArrive, kRelease, kRound };

struct Message {
  Nanoseconds at;  // when it arrives
  std::uint16_t from;
  std::uint16_t to;
  MessageKind kind;
  std::uint8_t round;  // of kRound
};

class Network {
 public:
  explicit Network(Nanoseconds latency) : latency_(latency), ring_(1024) {}

  void send(Nanoseconds now, unsigned from, unsigned to, MessageKind kind, unsigned round = 0) {
    if (last_ - first_ == ring_.size()) grow();
    ring_[last_++ & (ring_.size() - 1)] = {now + latency_, static_cast<std::uint16_t>(from),
                                           static_cast<std::uint16_t>(to), kind,
                                           static_cast<std::uint8_t>(round)};
  }
  Nanoseconds next() const {
    return first_ == last_ ? kNever : ring_[first_ & (ring_.size() - 1)].at;
  }
  Message receive() { return ring_[first_++ & (ring_.size() - 1)]; }
  std::uint64_t sent() const { return last_; }

 private:
  void grow() {
    std::vector<Message> larger(2 * ring_.size());
    for (std::size_t i = first_; i != last_; ++i)
      larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
    ring_.swap(larger);
  }

  Nanoseconds latency_;
  std::vector<Message> ring_;  // as many as a power of two
  std::size_t first_ = 0;      // these two only grow
  std::size_t last_ = 0;
};

}  // namespace muster::cluster
