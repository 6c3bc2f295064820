// For `return f(...)` in a function of the same type as f: a jump, so that f sees the caller's frame and return address.
#pragma once

#if defined(__clang__)
#define MUSTER_TAIL_CALL [[clang::musttail]]
#else
#define MUSTER_TAIL_CALL  // gcc makes it one when it optimizes
#endif

// The parameters of `syscall` that are passed in registers. One that is passed on the stack is still there after the jump,
// and must not be written: the caller's stack may hold something else.
#if defined(__x86_64__)
#define MUSTER_SYSCALL_PARAMETERS long number, long a, long b, long c, long d, long e
#define MUSTER_SYSCALL_ARGUMENTS number, a, b, c, d, e
#else
#define MUSTER_SYSCALL_PARAMETERS long number, long a, long b, long c, long d, long e, long f
#define MUSTER_SYSCALL_ARGUMENTS number, a, b, c, d, e, f
#endif
