// Banks of thunks. Each runtime of a process gets a bank, and the words of the objects that are bound to that runtime
// point to the bank's thunks (preload/thunks/thunk_banks.h). So a call names its runtime, wherever it returns to: a
// function may end with a jump to the runtime, and then the return address is that of its caller.
//
// Muster's entry points keep bank and return address in one word, the caller: the bank is in the bits that are zero in
// all addresses of a process. Such a caller lies in no object, and all callers of a bank are a range of their own.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime-hooks/objects/loaded_objects.h"

namespace muster {

inline constexpr unsigned kThunkBanks =
    8;  // numbered from 1; callers of further runtimes are in none, 0
inline constexpr unsigned kBankShift = 57;

// Written by the thunk of an entry point, read by the entry point before it does anything else.
extern "C" thread_local constinit std::uint8_t t_muster_bank
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

inline unsigned bank_of(const void* caller) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(caller) >> kBankShift);
}
inline const void* in_bank(unsigned bank, const void* address) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) |
                                       std::uintptr_t{bank} << kBankShift);
}
inline const void* return_address_of(const void* caller) {
  constexpr std::uintptr_t kAddress = (std::uintptr_t{1} << kBankShift) - 1;
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(caller) & kAddress);
}

// How many calls were not known and looked up, in objects' tables and under the loader's lock.
extern std::atomic<std::uint64_t> g_calls_looked_up;

// Whether calls of all objects that are loaded come to Muster if their runtime does. Sets their words first, if need be. A
// few tens of ns. If not, no fold may be open.
bool are_objects_bound();

// The bank's runtime, not found if there is none.
LoadedObject runtime_of_bank(unsigned bank);
void give_bank(unsigned bank, const LoadedObject& runtime);

}  // namespace muster
