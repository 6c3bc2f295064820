// The threads of a fold other than its primary: they wait for regions inside the real region.
#include "platform/given_back.h"
#include "runtime-hooks/folding/contract.h"
#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/counted_region.h"

namespace muster {

// The runtime's explicit barrier finishes the tasks that are pending at the join. Tasks may be long, so threads are
// not kept on their CPUs meanwhile.
void Fold::finish_tasks(Frame& frame) const {
  frame.at_real_barrier = true;
  runtime_->real.GOMP_barrier(0);
  frame.at_real_barrier = false;
}

void Fold::work(void* fold) {
  if (thread_state() == nullptr) [[unlikely]]
    return again_with_spare_state<&Fold::work>(fold);
  static_cast<Fold*>(fold)->work_with(*t_thread_state);
}

void Fold::work_with(ThreadState& state) {
  const RealFunctions& real = runtime_->real;
  Frame frame;
  frame.outer = state.top;
  frame.runtime = runtime_;
  frame.team = team_;
  state.top = &frame;  // for runtime_of_region()
  frame.thread = static_cast<unsigned>(real.omp_get_thread_num());
  const auto size = static_cast<unsigned>(runtime_->team_size());
  PassReason reason = PassReason::kNoMemory;
  frame.me = team_->join(size, frame.thread, reason);
  if (frame.me != nullptr) {
    const FoldState state_before = t_muster_fold_state;
    Fold* const fold_before = state.fold;
    state.fold = this;
    t_muster_fold_state = FoldState::kFoldedRegion;
    run_worker_loop(state, frame, global_thread_number(real));
    t_muster_fold_state = state_before;
    state.fold = fold_before;
  }
  state.top = frame.outer;
  give_everything_back();
}

void Fold::run_worker_loop(ThreadState& state, Frame& frame, abi::GlobalThread its_global) {
  struct Worker {
    Fold& fold;
    ThreadState& state;
    Frame& frame;
    const abi::GlobalThread its_global;

    bool leaves() const { return fold.job_.leave; }
    void begin() {
      if (fp_is_inherited(*fold.runtime_)) fold.job_.fp.put_in_force();
      frame.serialized = 0;
      abi::GlobalThread global = its_global;
      auto bound = static_cast<std::int32_t>(frame.thread);
      counted_region_begins(state, frame);
      MUSTER_CHECK(kMember, fold.is_member(state, frame));
      if (state.sites != nullptr) [[unlikely]] {
        frame.function = fold.job_.body.address();
        phase_begins(*fold.team_, *frame.me);
      }
      fold.job_.body(&global, &bound);
      if (state.sites != nullptr) [[unlikely]]
        phase_ends(*frame.me);
      MUSTER_CHECK(kBalanced, fold.is_member(state, frame) && frame.serialized == 0);
    }
    void end() { counted_region_ends(state, frame); }
    void finish_tasks() { fold.finish_tasks(frame); }
  };
  worker_loop(*team_, *frame.me, frame.thread, job_.announced,
              Worker{*this, state, frame, its_global});
}

}  // namespace muster
