#include "sim/cluster/barrier.h"

#include <bit>

namespace muster::cluster {

JobBarrier::JobBarrier(Barrier kind, unsigned first, unsigned count)
    : kind_(kind),
      first_(first),
      count_(count),
      rounds_(static_cast<unsigned>(std::bit_width(count - 1))),
      members_(count) {
  for (unsigned rank = 0; rank < count; ++rank) {
    unsigned below = 0;
    for (unsigned child = 2 * rank + 1; child <= 2 * rank + 2 && child < count; ++child) ++below;
    members_[rank].expected = kind == Barrier::kRoot ? count : below + 1;
  }
}

bool JobBarrier::arrive(Nanoseconds now, unsigned process, Network& network) {
  const unsigned rank = process - first_;
  switch (kind_) {
    case Barrier::kRoot:
      network.send(now, process, first_, MessageKind::kArrive);
      return false;
    case Barrier::kTree:
      return gather(now, rank, network);
    case Barrier::kDissemination:
      members_[rank].inside = true;
      members_[rank].round = 0;
      if (rounds_ > 0) send_round(now, rank, network);
      return next_rounds(now, rank, network);
  }
  return false;
}

bool JobBarrier::handle(Nanoseconds now, const Message& message, Network& network) {
  const unsigned rank = message.to - first_;
  if (message.kind == MessageKind::kArrive) return gather(now, rank, network);
  if (message.kind == MessageKind::kRelease) return release(now, rank, network);
  ++members_[rank].heard[message.round];
  return next_rounds(now, rank, network);
}

bool JobBarrier::gather(Nanoseconds now, unsigned rank, Network& network) {
  Member& me = members_[rank];
  if (++me.gathered < me.expected) return false;
  me.gathered = 0;
  if (kind_ == Barrier::kRoot) {
    for (unsigned other = 0; other < count_; ++other)
      network.send(now, first_, first_ + other, MessageKind::kRelease);
    return false;
  }
  if (rank == 0) return release(now, rank, network);
  network.send(now, first_ + rank, first_ + (rank - 1) / 2, MessageKind::kArrive);
  return false;
}

bool JobBarrier::release(Nanoseconds now, unsigned rank, Network& network) {
  if (kind_ == Barrier::kTree) {
    for (unsigned child = 2 * rank + 1; child <= 2 * rank + 2 && child < count_; ++child)
      network.send(now, first_ + rank, first_ + child, MessageKind::kRelease);
  }
  return true;
}

bool JobBarrier::next_rounds(Nanoseconds now, unsigned rank, Network& network) {
  Member& me = members_[rank];
  if (!me.inside) return false;
  while (me.round < rounds_) {
    if (me.heard[me.round] == 0) return false;
    --me.heard[me.round];
    if (++me.round < rounds_) send_round(now, rank, network);
  }
  me.inside = false;
  return true;
}

void JobBarrier::send_round(Nanoseconds now, unsigned rank, Network& network) {
  const unsigned round = members_[rank].round;
  network.send(now, first_ + rank, first_ + (rank + (1U << round)) % count_, MessageKind::kRound,
               round);
}

}  // namespace muster::cluster
