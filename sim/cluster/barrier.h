// Barriers made of active messages: their handlers, which run whenever the process that a message is for
// runs, do all of the work. `root`: all processes, the root included, send to the root, which answers all.
// `tree`: up a binary tree and down again. `dissemination`: log2 n rounds, in round k to the process 2^k
// ahead (Hensgen, Finkel & Manber 1988).
#pragma once

#include <array>
#include <vector>

#include "sim/cluster/messages.h"

namespace muster::cluster {

class JobBarrier {
 public:
  // Of the processes first .. first + count - 1.
  JobBarrier(Barrier kind, unsigned first, unsigned count);

  // Both return whether the process is past the barrier with that.
  bool arrive(Nanoseconds now, unsigned process, Network& network);
  bool handle(Nanoseconds now, const Message& message, Network& network);

 private:
  static constexpr unsigned kMostRounds = 16;
  struct Member {
    unsigned gathered = 0;  // arrivals below and its own
    unsigned expected = 0;
    bool inside = false;
    unsigned round = 0;
    std::array<std::uint8_t, kMostRounds> heard{};  // of each round
  };

  bool gather(Nanoseconds now, unsigned rank, Network& network);
  bool release(Nanoseconds now, unsigned rank, Network& network);
  bool next_rounds(Nanoseconds now, unsigned rank, Network& network);
  void send_round(Nanoseconds now, unsigned rank, Network& network);

  Barrier kind_;
  unsigned first_;
  unsigned count_;
  unsigned rounds_;
  std::vector<Member> members_;
};

}  // namespace muster::cluster
