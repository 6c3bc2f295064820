#include "runtime-hooks/teams/started_region.h"

#include <new>

#include "platform/given_back.h"
#include "platform/pages.h"

namespace muster {
namespace {

// Open regions of this thread, innermost first. One more TLS word, touched by such code only.
thread_local constinit StartedRegion* t_open __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

StartedRegion* StartedRegion::open(Runtime& runtime, abi::GompRegion function, void* data,
                                   Unfolded why, CallSite place) {
  give_everything_back();  // the region's threads inherit it
  ThreadState* state = thread_state();
  void* pages = map_pages(sizeof(StartedRegion));
  if (state == nullptr || pages == nullptr) {
    unmap_pages(pages, sizeof(StartedRegion));
    return nullptr;
  }
  auto* started = ::new (pages) StartedRegion();
  RegionTeam whose{.runtime = &runtime};
  if (!runtime.replaced) {
    whose.reason = runtime.reason;
  } else if (is_known(state->top)) {
    whose.team = Team::acquire(runtime, *state);
    state->regions.add();
    whose.is_alone = why == Unfolded::kThreadsLost;
    if (state->top != nullptr && !whose.is_alone) why = Unfolded::kInsideRegion;
    state->unfolded[static_cast<unsigned>(why)].add();
    started->site_.begin(state->sites, place_of(place, state->top), state->top != nullptr);
  }
  started->region_ = {function, data, whose};
  started->runtime_ = &runtime;
  started->state_ = state;
  return started;
}

void StartedRegion::enter() {
  frame_.outer = state_->top;
  frame_.runtime = region_.whose.runtime;
  frame_.team = region_.whose.team;
  frame_.unknown_because = region_.whose.reason;
  frame_.is_alone = region_.whose.is_alone;
  frame_.function = reinterpret_cast<const void*>(region_.function);
  state_->top = &frame_;
  if (frame_.team != nullptr) counted_region_begins(*state_, frame_);
  next_ = t_open;
  t_open = this;
  if (runtime_->replaced && may_make_pool(*state_, *runtime_)) note_pool(*runtime_);
}

StartedRegion* StartedRegion::leave(const Runtime& runtime) {
  StartedRegion* started = t_open;
  if (started == nullptr || started->runtime_ != &runtime) return nullptr;
  if (started->state_->top != &started->frame_) return nullptr;  // not the innermost region
  give_everything_back();
  counted_region_ends(*started->state_, started->frame_);
  t_open = started->next_;
  // From here on only tasks run that the join finishes, as in ForkScope.
  Frame& frame = started->frame_;
  frame.between_regions = frame.team != nullptr;
  frame.team = nullptr;
  frame.me = nullptr;
  return started;
}

void StartedRegion::close() {
  site_.end();
  state_->top = frame_.outer;
  if (region_.whose.team != nullptr) Team::release(region_.whose.team, *state_);
  this->~StartedRegion();
  unmap_pages(this, sizeof(StartedRegion));
}

}  // namespace muster
