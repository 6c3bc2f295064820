// Inactive regions, those of one thread, while a fold is open. The fold stays open: the primary thread calls the region's
// function, and the other threads wait as between two regions. The runtime knows nothing of the region, so the first call
// of an entry point that is neither harmless nor answered makes the region real: it closes the fold and has the runtime
// begin the region. From there on, all is as without Muster.
#include "runtime-hooks/folding/contract.h"
#include "runtime-hooks/folding/environment.h"
#include "runtime-hooks/folding/fold.h"
#include "runtime-hooks/teams/call_sites.h"
#include "runtime-hooks/teams/counted_region.h"
#include "runtime-hooks/teams/started_region.h"

namespace muster {

// A combined region calls the runtime at once.
bool Fold::is_inactive(const RegionCall& call, unsigned asked, bool clause) const {
  const unsigned wanted = asked != 0 ? asked : static_cast<unsigned>(serial_max_);
  return wanted == 1 && &call.runtime == runtime_ && !clause && !call.is_combined &&
         runtime_->real.omp_get_max_threads() == inner_max_;
}

void Fold::run_inactive(const RegionBody& body) {
  MUSTER_CHECK(kInactive, is_in_serial_part());
  Runtime& runtime = *runtime_;
  const FpControl fp = FpControl::current();
  inactive_ = {};
  inactive_.runtime = &runtime;
  inactive_.between_regions = true;
  inactive_.function = body.address();
  state_->top = &inactive_;
  counted_region_begins(*state_, inactive_);
  is_made_real_ = false;
  t_muster_fold_state = FoldState::kInactiveRegion;
  abi::GlobalThread global = global_;
  std::int32_t bound = 0;
  body(&global, &bound);
  if (is_made_real_) {
    end_in_runtime(runtime);
  } else {
    end_inactive();
  }
  if (fp_is_inherited(runtime)) fp.put_in_force();
}

void Fold::end_inactive() {
  MUSTER_CHECK(kInactive,
               in_inactive_region() && state_->top == &inactive_ && is_between_regions());
  counted_region_ends(*state_, inactive_);
  state_->regions.add();
  state_->folded.add();
  state_->top = nullptr;
  t_muster_fold_state = FoldState::kSerialPart;
  // Changed through an address from dlsym(), for the rest of the region.
  if (runtime_->real.omp_get_max_threads() != inner_max_) close(Closed::kSetting, {});
}

// The frame below stays on top if there is no memory for another one.
void Fold::begin_in_runtime(Closed reason, CallSite site) {
  MUSTER_CHECK(kInactive,
               in_inactive_region() && state_->top == &inactive_ && is_between_regions());
  Runtime& runtime = *runtime_;
  counted_region_ends(*state_, inactive_);
  state_->top = nullptr;
  t_muster_fold_state = FoldState::kSerialPart;
  close(reason, place_of(site, &inactive_));
  is_made_real_ = true;
  auto* region = StartedRegion::open(runtime, nullptr, nullptr, Unfolded::kTeamOfOne, {});
  runtime.real.GOMP_parallel_start(nullptr, nullptr, 1);  // calls no function
  state_->top = &inactive_;
  if (region != nullptr) region->enter();
}

void Fold::end_in_runtime(Runtime& runtime) {
  StartedRegion* const region = StartedRegion::leave(runtime);
  runtime.real.GOMP_parallel_end();
  if (region != nullptr) region->close();
  state_->top = nullptr;
}

}  // namespace muster
