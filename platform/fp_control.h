// A thread's floating-point control words: rounding, masked exceptions, flushing to zero.
//
// x86 only, where OpenMP's runtimes copy them from thread to thread; elsewhere they leave each thread
// its own, and there is nothing to do here.
#pragma once

#include <cstdint>

namespace muster {

#if defined(__x86_64__)

// One number, so that it travels in a register: two stores that are read as one stall the reader.
struct FpControl {
  std::uint64_t words = 0;  // MXCSR without its flags, and the x87 control word above it

  static FpControl current() {
    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr));
    asm volatile("fnstcw %0" : "=m"(x87));
    return {(mxcsr & ~kFlags) | std::uint64_t{x87} << 32};
  }

  // Makes them the calling thread's. Words that differ are loaded whole, as the runtimes do: the flags
  // of what happened are cleared then, and left alone where nothing differs.
  void put_in_force() const {
    const std::uint64_t now = current().words;
    if (now == words) [[likely]]
      return;
    const auto mxcsr = static_cast<std::uint32_t>(words);
    const auto x87 = static_cast<std::uint16_t>(words >> 32);
    if (now >> 32 != words >> 32) {
      asm volatile("fnclex");  // a pending exception that the new control unmasks would trap
      asm volatile("fldcw %0" : : "m"(x87));
    }
    if (static_cast<std::uint32_t>(now) != mxcsr) asm volatile("ldmxcsr %0" : : "m"(mxcsr));
  }

 private:
  static constexpr std::uint32_t kFlags = 0x3f;
};

// Keeps the calling thread's words and flags as they are, whatever is called while it lives.
class KeptFpEnvironment {
 public:
  KeptFpEnvironment() {
    asm volatile("stmxcsr %0" : "=m"(mxcsr_));
    asm volatile("fnstenv %0" : "=m"(x87_));
    asm volatile("fldenv %0" : : "m"(x87_));  // storing has masked all exceptions
  }
  ~KeptFpEnvironment() {
    asm volatile("ldmxcsr %0" : : "m"(mxcsr_));
    asm volatile("fldenv %0" : : "m"(x87_));
  }
  KeptFpEnvironment(const KeptFpEnvironment&) = delete;
  KeptFpEnvironment& operator=(const KeptFpEnvironment&) = delete;

 private:
  struct X87Environment {
    std::uint8_t bytes[28];
  };
  std::uint32_t mxcsr_ = 0;
  X87Environment x87_{};
};

#else

struct FpControl {
  static FpControl current() { return {}; }
  void put_in_force() const {}
};

class KeptFpEnvironment {
 public:
  KeptFpEnvironment() {}
  ~KeptFpEnvironment() {}
};

#endif

}  // namespace muster
