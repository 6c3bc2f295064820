// A thread's floating-point control words: rounding, masked exceptions, flushing to zero.
//
// x86 only, where the OpenMP runtimes copy them from thread to thread. Elsewhere the runtimes leave each thread its
// own, and nothing is done here.
#pragma once

#include <cstdint>

namespace muster {

#if defined(__x86_64__)

// One number, passed in a register: a load that spans two recent stores would stall.
struct FpControl {
  std::uint64_t words = 0;  // MXCSR without its flags, and the x87 control word above it

  static FpControl current() {
    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr));
    asm volatile("fnstcw %0" : "=m"(x87));
    return {(mxcsr & ~kFlags) | std::uint64_t{x87} << 32};
  }

  // Loads them into the calling thread. Words that differ are loaded as a whole, as the runtimes do: that clears the
  // exception flags. If nothing differs, the flags stay.
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

// Preserves the calling thread's words and flags over its lifetime, whatever is called meanwhile.
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
