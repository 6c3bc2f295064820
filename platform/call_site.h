// What the instruction before a return address was.
#pragma once

namespace muster {

// Whether the call that returns there may have named its target: `call f`, or through the table of
// addresses (code built without PLT). False where the target came from a register, as when a
// runtime calls the function of a parallel region: if that function ends in a call of its own, it
// may have jumped there, and the return address seen is the runtime's. Always true on CPUs whose
// instructions are not known here. `return_address` must lie in code that can be read.
inline bool may_call_by_name([[maybe_unused]] const void* return_address) {
#if defined(__x86_64__)
  const auto* after = static_cast<const unsigned char*>(return_address);
  return after[-5] == 0xE8 || (after[-6] == 0xFF && after[-5] == 0x15);
#else
  return true;
#endif
}

}  // namespace muster
