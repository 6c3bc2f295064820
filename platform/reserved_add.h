// One attempt to add to a shared word by load-reserve and store-conditional, on machines with these two instructions.
//
// Between the two the processor monitors the word's line. The store reports failure if another thread stored there in
// between (or spuriously: an interrupt, a line evicted from the cache). std::atomic hides that: compilers make a loop
// of it, or use a single instruction where there is one (AArch64's LSE, perhaps selected at run time). An attempt is
// one block of assembly, since a memory access by the compiler in between could lose the reservation each time.
//
// Orders as in the published mappings of C++11 (Sewell et al., "C/C++11 mappings to processors",
// www.cl.cam.ac.uk/~pes20/cpp/cpp0xmappings.html; proved by Batty et al., POPL 2012, and Sarkar et al., PLDI 2012):
//
//   AArch64   acquire: ldaxr for ldxr; release: stlxr for stxr
//   POWER     release: lwsync before; seq_cst: sync before; acquire: isync after the branch that
//             depends on stwcx./stdcx.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace muster {

#if defined(__aarch64__) || defined(__powerpc64__)

namespace detail {

constexpr bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

#if defined(__aarch64__)

// `w` prints a register as 32 bits wide.
#define MUSTER_ADD_ATTEMPT(load, store, width)                                                  \
  asm volatile(                                                                                 \
      load " %" width "[before], %[word]\n\tadd %" width "[after], %" width "[before], %" width \
           "[value]\n\t" store " %w[failed], %" width "[after], %[word]"                        \
      : [before] "=&r"(before), [after] "=&r"(after), [failed] "=&r"(failed), [word] "+Q"(word) \
      : [value] "r"(value)                                                                      \
      : "memory")
#define MUSTER_ADD_ATTEMPT_OF(load, store) \
  if constexpr (sizeof(T) == 8) {          \
    MUSTER_ADD_ATTEMPT(load, store, "");   \
  } else {                                 \
    MUSTER_ADD_ATTEMPT(load, store, "w");  \
  }

template <std::memory_order order, class T>
bool reserved_add(T& word, T value, T& before) {
  T after;
  std::uint32_t failed;
  if constexpr (acquires(order) && releases(order)) {
    MUSTER_ADD_ATTEMPT_OF("ldaxr", "stlxr")
  } else if constexpr (acquires(order)) {
    MUSTER_ADD_ATTEMPT_OF("ldaxr", "stxr")
  } else if constexpr (releases(order)) {
    MUSTER_ADD_ATTEMPT_OF("ldxr", "stlxr")
  } else {
    MUSTER_ADD_ATTEMPT_OF("ldxr", "stxr")
  }
  return failed == 0;
}

#undef MUSTER_ADD_ATTEMPT_OF

#else

#define MUSTER_ADD_ATTEMPT(load, store, after_success)                                          \
  asm volatile(                                                                                 \
      load " %[before],%y[word]\n\tadd %[after],%[before],%[value]\n\t" store                   \
           " %[after],%y[word]\n\tli %[stored],0\n\tbne- 1f\n\t" after_success                  \
           "\n\tli %[stored],1\n1:"                                                             \
      : [before] "=&r"(before), [after] "=&r"(after), [stored] "=&r"(stored), [word] "+Z"(word) \
      : [value] "r"(value)                                                                      \
      : "cr0", "memory")

template <std::memory_order order, class T>
bool reserved_add(T& word, T value, T& before) {
  T after;
  std::uint32_t stored;
  if constexpr (order == std::memory_order_seq_cst) {
    asm volatile("sync" ::: "memory");
  } else if constexpr (releases(order)) {
    asm volatile("lwsync" ::: "memory");
  }
  if constexpr (sizeof(T) == 8 && acquires(order)) {
    MUSTER_ADD_ATTEMPT("ldarx", "stdcx.", "isync");
  } else if constexpr (sizeof(T) == 8) {
    MUSTER_ADD_ATTEMPT("ldarx", "stdcx.", "");
  } else if constexpr (acquires(order)) {
    MUSTER_ADD_ATTEMPT("lwarx", "stwcx.", "isync");
  } else {
    MUSTER_ADD_ATTEMPT("lwarx", "stwcx.", "");
  }
  return stored != 0;
}

#endif
#undef MUSTER_ADD_ATTEMPT

}  // namespace detail

// std::atomic with the attempt added.
template <class T>
class NativeAtomic : public std::atomic<T> {
  static_assert(sizeof(std::atomic<T>) == sizeof(T));

 public:
  constexpr NativeAtomic() = default;
  explicit constexpr NativeAtomic(T value) : std::atomic<T>(value) {}

  // False if nothing was added; `before` is the value that was read.
  template <std::memory_order order>
  bool reserved_add(T value, T& before) {
    static_assert(std::is_unsigned_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
    return detail::reserved_add<order>(*reinterpret_cast<T*>(this), value, before);
  }
};

#else

template <class T>
using NativeAtomic = std::atomic<T>;

#endif

}  // namespace muster
