// For a variadic function whose arguments are pointers and integers: it saves no floating-point registers, which would
// take 128 bytes of stack.
#pragma once

#if defined(__x86_64__)
#define MUSTER_WORDS_ONLY __attribute__((target("general-regs-only")))
#else
#define MUSTER_WORDS_ONLY
#endif
