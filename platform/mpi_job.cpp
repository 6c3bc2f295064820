#include "platform/mpi_job.h"

#include <cstddef>
#include <cstdlib>

namespace muster {
namespace {

// The value of the first that is a number; null: none is.
template <std::size_t kCount>
const char* first_number(const char* const (&variables)[kCount]) {
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);
    if (value != nullptr && value[0] >= '0' && value[0] <= '9') return value;
  }
  return nullptr;
}

constexpr const char* kRank[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                 "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};
constexpr const char* kRanks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                  "SLURM_STEP_NUM_TASKS"};

}  // namespace

long mpi_rank() {
  const char* value = first_number(kRank);
  return value != nullptr ? std::atol(value) : 0;
}

bool has_mpi_rank() { return first_number(kRank) != nullptr; }

long mpi_ranks() {
  const char* value = first_number(kRanks);
  return value != nullptr ? std::atol(value) : 1;
}

}  // namespace muster
