// What the instruction before a return address was.
#pragma once

#include <cstdint>

namespace muster {

// Whether the call that returns there may have named its target: `call f`, or through the table of
// addresses (code built without PLT; not known on POWER). False where the target came from a
// register, as when a runtime calls the function of a parallel region: if that function ends in a
// call of its own, it may have jumped there, and the return address seen is the runtime's. Always
// true on CPUs whose instructions are not known here. `return_address` must lie in code that can be
// read.
inline bool may_call_by_name([[maybe_unused]] const void* return_address) {
#if defined(__x86_64__)
  const auto* after = static_cast<const unsigned char*>(return_address);
  return after[-5] == 0xE8 || (after[-6] == 0xFF && after[-5] == 0x15);
#elif defined(__aarch64__)
  const auto* after = static_cast<const std::uint32_t*>(return_address);
  if ((after[-1] & 0xFC00'0000) == 0x9400'0000) return true;  // bl
  const std::uint32_t target = after[-1] >> 5 & 31;           // blr target
  const std::uint32_t base = after[-2] >> 5 & 31;
  const bool loads_it = (after[-2] & 0xFFC0'001F) == (0xF940'0000 | target);  // ldr target, [base]
  return loads_it && (after[-3] & 0x9F00'001F) == (0x9000'0000 | base);       // adrp base
#elif defined(__powerpc64__)
  const auto* after = static_cast<const std::uint32_t*>(return_address);
  return (after[-1] & 0xFC00'0003) == 0x4800'0001;  // bl
#else
  return true;
#endif
}

}  // namespace muster
