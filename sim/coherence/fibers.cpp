#include "sim/coherence/fibers.h"

namespace muster::coherence {
namespace {

// For first_step(), which can be handed no pointer.
Fibers* g_starting = nullptr;

}  // namespace

Fibers::Fibers(unsigned count, std::function<void(unsigned)> body)
    : fibers_(count), body_(std::move(body)) {
  for (Fiber& fiber : fibers_) {
    fiber.stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
    getcontext(&fiber.first_place);
    fiber.first_place.uc_stack.ss_sp = fiber.stack.get();
    fiber.first_place.uc_stack.ss_size = kStackBytes;
    fiber.first_place.uc_link = nullptr;
    makecontext(&fiber.first_place, &first_step, 0);
  }
}

// The first step takes a system call to get to the new stack, all later ones none.
void Fibers::resume(unsigned i) {
  running_ = i;
  Fiber& fiber = fibers_[i];
  if (_setjmp(home_) != 0) return;
  if (fiber.begun) _longjmp(fiber.place, 1);
  fiber.begun = true;
  g_starting = this;
  setcontext(&fiber.first_place);
}

void Fibers::suspend() {
  if (_setjmp(fibers_[running_].place) == 0) _longjmp(home_, 1);
}

void Fibers::first_step() {
  Fibers& self = *g_starting;
  self.body_(self.running_);
  self.fibers_[self.running_].done = true;
  _longjmp(self.home_, 1);
}

}  // namespace muster::coherence
