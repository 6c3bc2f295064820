// gcc's target constructs: the tasks they create, and the regions that run on the host.
#include "preload/entry.h"
#include "runtime-hooks/teams/barrier_gate.h"
#include "runtime-hooks/teams/region.h"

using namespace muster;

namespace {

// libgomp's flag for `nowait` target constructs (gomp-constants.h).
constexpr unsigned kGompTargetNowait = 1U << 0;

void creates_target_task(Runtime& runtime, unsigned flags) {
  if ((flags & kGompTargetNowait) != 0) note_target_task(runtime);
}

// On the host libgomp runs a target region as if its thread were outside all regions and new to the runtime. Its
// barriers belong to no team, and the regions it forks are not nested in the current one.
class TargetScope {
 public:
  explicit TargetScope(Runtime& runtime) : state_(thread_state()) {
    if (state_ == nullptr) return;
    frame_.outer = state_->top;
    frame_.runtime = &runtime;
    frame_.between_regions = state_->top != nullptr && is_known(state_->top);
    state_->top = &frame_;
    ++state_->pools.targets_around;
  }
  ~TargetScope() {
    if (state_ == nullptr) return;
    --state_->pools.targets_around;
    state_->top = frame_.outer;
  }
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;

 private:
  ThreadState* const state_;
  Frame frame_;
};

}  // namespace

MUSTER_ENTRY void GOMP_target(int device, abi::GompRegion function, const void* unused,
                              std::size_t count, void** addresses, std::size_t* sizes,
                              unsigned char* kinds) {
  const void* const caller = MUSTER_CALLER;
  entering("GOMP_target", caller);
  Runtime& runtime = runtime_of(caller, "GOMP_target");
  const RuntimeCall call;
  const TargetScope scope(runtime);
  required(runtime.real.GOMP_target, "GOMP_target")(device, function, unused, count, addresses,
                                                    sizes, kinds);
}

MUSTER_ENTRY void GOMP_target_ext(int device, abi::GompRegion function, std::size_t count,
                                  void** addresses, std::size_t* sizes, unsigned short* kinds,
                                  unsigned flags, void** depend, void** arguments) {
  const void* const caller = MUSTER_CALLER;
  entering("GOMP_target_ext", caller);
  Runtime& runtime = runtime_of(caller, "GOMP_target_ext");
  creates_target_task(runtime, flags);
  const RuntimeCall call;
  const TargetScope scope(runtime);
  required(runtime.real.GOMP_target_ext, "GOMP_target_ext")(device, function, count, addresses,
                                                            sizes, kinds, flags, depend, arguments);
}

MUSTER_ENTRY void GOMP_target_update_ext(int device, std::size_t count, void** addresses,
                                         std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                         void** depend) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  creates_target_task(runtime_of(caller, "GOMP_target_update_ext"), flags);
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_target_update_ext)(device, count, addresses, sizes, kinds, flags,
                                                  depend);
}

MUSTER_ENTRY void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses,
                                              std::size_t* sizes, unsigned short* kinds,
                                              unsigned flags, void** depend) {
  const void* const caller = MUSTER_CALLER;
  ensure_ready();
  creates_target_task(runtime_of(caller, "GOMP_target_enter_exit_data"), flags);
  const RuntimeCall call;
  MUSTER_REAL_FOR(caller, GOMP_target_enter_exit_data)(device, count, addresses, sizes, kinds,
                                                       flags, depend);
}
