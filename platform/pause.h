// The instruction that tells the CPU that a thread is polling.
#pragma once

namespace muster {

inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on most cores; isb does wait
#elif defined(__powerpc64__)
  asm volatile("or 27,27,27" ::: "memory");
#else
  asm volatile("" ::: "memory");
#endif
}

// A hint: this thread will write the line soon, so prefetch it for writing. Never waits and never faults.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0"
               :
               : "m"(*static_cast<const char*>(address)));  // a no-op where unknown
#else
  __builtin_prefetch(address, 1);
#endif
}

// On x86, non-temporal stores (movnt*) are not ordered by a later plain store. The runtimes arrive with a locked
// instruction, which drains them, and programs rely on that. Muster arrives with plain stores, so it drains them
// explicitly. 2 ns if nothing is pending.
inline void drain_non_temporal_stores() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace muster
