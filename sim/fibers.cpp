#include "sim/fibers.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace muster::sim {
namespace {

// For first_step(), which can be handed no pointer. Several real threads may have fibers each.
thread_local Fibers* t_starting = nullptr;

// Below the frame that suspends: what _setjmp and its caller may still use.
constexpr std::size_t kBelowFrame = 512;

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
  if (fiber.at.begun) _longjmp(fiber.at.place, 1);
  fiber.at.begun = true;
  t_starting = this;
  setcontext(&fiber.first_place);
}

[[gnu::noinline]] void Fibers::suspend() {
  Fiber& fiber = fibers_[running_];
  const auto top = reinterpret_cast<std::uintptr_t>(fiber.stack.get()) + kStackBytes;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  fiber.at.depth = top - here + kBelowFrame;
  if (_setjmp(fiber.at.place) == 0) _longjmp(home_, 1);
}

void Fibers::first_step() {
  Fibers& self = *t_starting;
  self.body_(self.running_);
  self.fibers_[self.running_].at.done = true;
  self.fibers_[self.running_].at.depth = 0;
  _longjmp(self.home_, 1);
}

void Fibers::save(std::vector<std::byte>& out) const {
  for (const Fiber& fiber : fibers_) {
    const std::size_t begin = out.size();
    out.resize(begin + sizeof(Position) + fiber.at.depth);
    std::memcpy(out.data() + begin, &fiber.at, sizeof(Position));
    std::memcpy(out.data() + begin + sizeof(Position),
                fiber.stack.get() + kStackBytes - fiber.at.depth, fiber.at.depth);
  }
}

const std::byte* Fibers::restore(const std::byte* from) {
  for (Fiber& fiber : fibers_) {
    std::memcpy(&fiber.at, from, sizeof(Position));
    from += sizeof(Position);
    std::memcpy(fiber.stack.get() + kStackBytes - fiber.at.depth, from, fiber.at.depth);
    from += fiber.at.depth;
  }
  return from;
}

}  // namespace muster::sim
