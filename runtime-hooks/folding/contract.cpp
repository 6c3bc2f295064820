#include "runtime-hooks/folding/contract.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/folding/task_queries.h"

namespace muster {
namespace {

constexpr const char* kTexts[] = {
#define MUSTER_TEXT(symbol, text) "muster: broken: " text "\n",
    MUSTER_FOLDING_CLAUSES(MUSTER_TEXT)
#undef MUSTER_TEXT
};

}  // namespace

void broken(FoldingClause clause) {
  const char* text = kTexts[static_cast<unsigned>(clause)];
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  std::abort();
}

// For the runtime.
bool Fold::is_between_regions() const {
  const RealFunctions& real = runtime_->real;
  return opened_by_ == &t_muster_fold_state && t_thread_state == state_ && state_->fold == this &&
         real.omp_get_level() == 1 && real.omp_get_thread_num() == 0 &&
         task_of(real) == implicit_task_ && !says_explicit_task(real);
}

bool Fold::is_in_serial_part() const {
  return in_serial_part() && state_->top == nullptr && is_between_regions();
}

bool Fold::is_member(const ThreadState& state, const Frame& frame) const {
  const auto thread = static_cast<unsigned>(runtime_->real.omp_get_thread_num());
  return in_folded_region() && &state == t_thread_state && state.fold == this &&
         state.top == &frame && frame.thread == thread &&
         runtime_->team_size() == static_cast<int>(team_->size());
}

}  // namespace muster
