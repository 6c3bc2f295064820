// Decodes the instruction before a return address.
#pragma once

#include <cstdint>

namespace muster {

// Whether the call that returns there may have named its target: `call f`, or a call through the global offset table
// (code built without PLT; not detected on POWER). False if the target came from a register, as when a runtime calls
// the function of a parallel region. If that function ends in a tail call, the return address is one in the runtime.
// Always true on CPUs whose instructions are not decoded here. `return_address` must lie in readable code.
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
