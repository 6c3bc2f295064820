// Threads that are none: each has a stack of its own, and one real thread runs them, one at a time, for
// as long as each likes. Who runs next is the caller's business.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace muster::coherence {

class Fibers {
 public:
  // body(i) for each of `count`, none begun yet.
  Fibers(unsigned count, std::function<void(unsigned)> body);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs fiber `i` until it calls suspend() or its body returns. Not from within a fiber.
  void resume(unsigned i);
  // From within a fiber: back to who resumed it.
  void suspend();
  bool done(unsigned i) const { return fibers_[i].done; }

 private:
  struct Fiber {
    std::unique_ptr<std::byte[]> stack;
    ucontext_t first_place;
    jmp_buf place;
    bool begun = false;
    bool done = false;
  };
  static constexpr std::size_t kStackBytes = 64 * 1024;

  static void first_step();

  std::vector<Fiber> fibers_;
  std::function<void(unsigned)> body_;
  unsigned running_ = 0;
  jmp_buf home_;
};

}  // namespace muster::coherence
