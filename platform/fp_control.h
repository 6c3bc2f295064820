// A thread's floating-point control: rounding, masked exceptions, flushing to zero. Not the flags of
// what happened, which are results.
#pragma once

#include <cstdint>

namespace muster {

#if defined(__x86_64__)

struct FpControl {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;

  static FpControl current() {
    FpControl now;
    asm volatile("stmxcsr %0" : "=m"(now.mxcsr));
    asm volatile("fnstcw %0" : "=m"(now.x87));
    now.mxcsr &= kControlBits;
    return now;
  }

  // Makes it the calling thread's. Loading is dear, so only where it differs.
  void put_in_force() const {
    std::uint32_t status_and_control = 0;
    asm volatile("stmxcsr %0" : "=m"(status_and_control));
    if ((status_and_control & kControlBits) != mxcsr) {
      const std::uint32_t wanted = (status_and_control & ~kControlBits) | mxcsr;
      asm volatile("ldmxcsr %0" : : "m"(wanted));
    }
    std::uint16_t x87_now = 0;
    asm volatile("fnstcw %0" : "=m"(x87_now));
    if (x87_now != x87) {
      asm volatile("fnclex");  // a pending exception that the new control unmasks would trap
      asm volatile("fldcw %0" : : "m"(x87));
    }
  }

 private:
  static constexpr std::uint32_t kControlBits = ~std::uint32_t{0x3f};
};

#elif defined(__aarch64__)

struct FpControl {
  std::uint64_t fpcr = 0;

  static FpControl current() {
    FpControl now;
    asm volatile("mrs %0, fpcr" : "=r"(now.fpcr));
    return now;
  }
  void put_in_force() const {
    if (current().fpcr != fpcr) asm volatile("msr fpcr, %0" : : "r"(fpcr));
  }
};

#else

struct FpControl {
  static FpControl current() { return {}; }
  void put_in_force() const {}
};

#endif

}  // namespace muster
