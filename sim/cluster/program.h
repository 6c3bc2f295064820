// What a process does, one step after the other: computing, reads and barriers.
//
// Bulk-synchronous: compute C, barrier, read from four neighbours with some computing between, barrier.
// Continuous: compute c, read from a process of the job by chance (also from itself), and so on until C
// of computing has been done (or, `elapsed`, until C has passed in a dedicated machine), barrier.
// They are repeated for as often as comes nearest to the dedicated time.
#pragma once

#include <array>
#include <vector>

#include "sim/cluster/run.h"
#include "waiting/random.h"

namespace muster::cluster {

enum class StepKind : std::uint8_t { kCompute, kRead, kBarrier, kEnd };

struct Step {
  StepKind kind;
  Nanoseconds time = 0;    // of computing
  unsigned from_rank = 0;  // of a read
};

// What is the same for all processes of all jobs.
class ProgramText {
 public:
  explicit ProgramText(const RunPlan& run);

  Style style() const { return style_; }
  Nanoseconds compute() const { return compute_; }
  Nanoseconds between_reads() const { return between_reads_; }
  unsigned processes() const { return processes_; }
  // How often its loop is gone through, and of a continuous one how many reads are between barriers.
  std::uint64_t rounds() const { return rounds_; }
  unsigned reads_between_barriers() const { return reads_; }
  const std::array<unsigned, 4>& neighbours(unsigned rank) const { return neighbours_[rank]; }

 private:
  Style style_;
  Nanoseconds compute_;
  Nanoseconds between_reads_;
  unsigned processes_;
  unsigned reads_ = 4;
  std::uint64_t rounds_ = 0;
  std::vector<std::array<unsigned, 4>> neighbours_;
};

// From the first arrival to when all are released, where every process runs and all arrive at once.
Nanoseconds barrier_time(const RunPlan& run);

class ProgramCounter {
 public:
  ProgramCounter(unsigned rank, std::uint64_t seed) : rank_(rank), numbers_(seed) {}

  Step next(const ProgramText& text) {
    if (round_ == text.rounds()) return {StepKind::kEnd};
    return text.style() == Style::kBulkSynchronous ? next_bulk(text) : next_continuous(text);
  }

 private:
  Step next_bulk(const ProgramText& text) {
    const unsigned place = place_++;
    if (place == 0) return {StepKind::kCompute, text.compute()};
    if (place == 1) return {StepKind::kBarrier};
    if (place == 9) {
      place_ = 0;
      ++round_;
      return {StepKind::kBarrier};
    }
    if (place % 2 == 1) return {StepKind::kCompute, text.between_reads()};
    return {StepKind::kRead, 0, text.neighbours(rank_)[place / 2 - 1]};
  }
  Step next_continuous(const ProgramText& text) {
    const unsigned place = place_++;
    if (place == 2 * text.reads_between_barriers()) {
      place_ = 0;
      ++round_;
      return {StepKind::kBarrier};
    }
    if (place % 2 == 0) return {StepKind::kCompute, text.between_reads()};
    const std::uint64_t draw = std::uint64_t{numbers_.next()} * text.processes();
    return {StepKind::kRead, 0, static_cast<unsigned>(draw >> 32)};
  }

  unsigned rank_;
  unsigned place_ = 0;
  std::uint64_t round_ = 0;
  MixedNumbers numbers_;
};

}  // namespace muster::cluster
