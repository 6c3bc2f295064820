#include "sim/cluster/program.h"

#include <algorithm>
#include <bit>

namespace muster::cluster {
namespace {

// North, south, west and east on a grid that wraps around, as nearly square as can be.
std::array<unsigned, 4> on_grid(unsigned rank, unsigned processes) {
  unsigned rows = 1;
  for (unsigned i = 2; i * i <= processes; ++i) {
    if (processes % i == 0) rows = i;
  }
  const unsigned columns = processes / rows;
  const unsigned row = rank / columns;
  const unsigned column = rank % columns;
  return {(row + rows - 1) % rows * columns + column, (row + 1) % rows * columns + column,
          row * columns + (column + columns - 1) % columns, row * columns + (column + 1) % columns};
}

std::array<unsigned, 4> on_ring(unsigned rank, unsigned processes) {
  const auto at = [&](unsigned ahead) { return (rank + ahead) % processes; };
  const unsigned round = 2 * processes;
  return {at(round - 1), at(1), at(round - 2), at(2)};
}

}  // namespace

Nanoseconds barrier_time(const RunPlan& run) {
  const auto levels = static_cast<Nanoseconds>(std::bit_width(run.processes - 1));
  const auto depth = static_cast<Nanoseconds>(std::bit_width(run.processes)) - 1;
  switch (run.program.barrier) {
    case Barrier::kRoot:
      return 2 * run.latency;
    case Barrier::kTree:
      return 2 * depth * run.latency;
    case Barrier::kDissemination:
      return levels * run.latency;
  }
  return 0;
}

ProgramText::ProgramText(const RunPlan& run)
    : style_(run.program.style),
      compute_(run.program.compute),
      between_reads_(run.program.between_reads),
      processes_(run.processes) {
  const Nanoseconds read = 2 * run.latency;
  Nanoseconds round = 0;
  if (style_ == Style::kBulkSynchronous) {
    round = compute_ + 4 * read + 3 * between_reads_ + 2 * barrier_time(run);
  } else {
    const Nanoseconds each = between_reads_ + (run.program.elapsed ? read : 0);
    reads_ = static_cast<unsigned>(compute_ / std::max<Nanoseconds>(each, 1));
    if (reads_ == 0) reads_ = 1;
    round = reads_ * (between_reads_ + read) + barrier_time(run);
  }
  rounds_ =
      static_cast<std::uint64_t>(std::max<Nanoseconds>(1, (run.dedicated + round / 2) / round));
  for (unsigned rank = 0; rank < processes_; ++rank) {
    neighbours_.push_back(run.program.neighbours == Neighbours::kGrid ? on_grid(rank, processes_)
                                                                      : on_ring(rank, processes_));
  }
}

}  // namespace muster::cluster
