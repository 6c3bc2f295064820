// Threads that are none: each has a stack of its own, and one real thread runs them, one at a time, for
// as long as each likes. The caller chooses which one runs next. Their stacks can be copied away and put
// back: so an exploration returns to a state without running the program again from the start.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace muster::sim {

class Fibers {
 public:
  // body(i) for each of `count`, none begun yet.
  Fibers(unsigned count, std::function<void(unsigned)> body);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs fiber `i` until it suspends or its body returns. Not from within a fiber.
  void resume(unsigned i);
  void suspend();  // from within
  unsigned running() const { return running_; }
  bool done(unsigned i) const { return fibers_[i].at.done; }

  // What the fibers have on their stacks, appended to `out`; and back from where it is, which it
  // returns the end of. What was on the stacks below is dead.
  void save(std::vector<std::byte>& out) const;
  const std::byte* restore(const std::byte* from);

 private:
  struct Position {
    jmp_buf place;
    std::size_t depth = 0;  // bytes of the stack in use
    bool begun = false;
    bool done = false;
  };
  struct Fiber {
    std::unique_ptr<std::byte[]> stack;
    ucontext_t first_place;
    Position at;
  };
  static constexpr std::size_t kStackBytes = 64 * 1024;

  static void first_step();

  std::vector<Fiber> fibers_;
  std::function<void(unsigned)> body_;
  unsigned running_ = 0;
  jmp_buf home_;
};

}  // namespace muster::sim
