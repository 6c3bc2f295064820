// The thunks' machine code for x86-64 (System V ABI), included by the generated thunks.S.
//
// A thunk works for any signature: it preserves every register that may hold an argument, and the stack. r10 and r11
// are free between caller and callee.

#define MUSTER_ENTRY_STATES 2  // only entry points test for these

.macro MUSTER_THUNKS_BEGIN
  .hidden t_muster_fold_state
  .hidden t_muster_bank
  .hidden muster_bank_functions
  .hidden muster_thunk_targets
  .hidden muster_thunk_decide
  .hidden muster_before_inheriting
  .hidden muster_observed_decide
  .hidden muster_decide_dlsym
  .text
.endm

// Jumps to the runtime's function, found in the list of known calling objects (thunks.cpp, struct Target). Takes the
// slow path for a new caller, and in a thread in one of the states, if there are any.
.macro MUSTER_THUNK name, index, states
  .globl \name
  .type \name, @function
  .p2align 4
\name:
  .cfi_startproc
  endbr64
  .if \states
  movq t_muster_fold_state@gottpoff(%rip), %r11
  testb $\states, %fs:(%r11)
  jne 3f
  .endif
  movq muster_thunk_targets+8*\index(%rip), %r11
1:
  testq %r11, %r11
  je 3f
  movq (%rsp), %r10
  subq (%r11), %r10
  cmpq 8(%r11), %r10
  jae 2f
  .if \states == MUSTER_ENTRY_STATES
  movq t_muster_bank@gottpoff(%rip), %r10
  movb $0, %fs:(%r10)
  .endif
  jmpq *16(%r11)
2:
  movq 24(%r11), %r11
  jmp 1b
3:
  movl $\index, %r11d
  leaq muster_thunk_decide(%rip), %r10
  jmp muster_thunk_slow_path
  .cfi_endproc
  .size \name, .-\name
.endm

// A thunk of a bank (thunk_banks.h) has its number only, and its bank's code does the rest: the file stays small. All have
// the same size.
.macro MUSTER_BANKS_BEGIN count
  .set muster_bank_size, \count
  .globl muster_bank_thunks
  .hidden muster_bank_thunks
  .p2align 4
muster_bank_thunks:
  .cfi_startproc
.endm

.macro MUSTER_BANK_THUNK bank, index, states
  .p2align 4
  endbr64
  movl $(\bank*muster_bank_size+\index), %r11d
  jmp muster_bank_\bank\()_\states
.endm

.macro MUSTER_BANKS_END
  .globl muster_bank_thunks_end
  .hidden muster_bank_thunks_end
  .p2align 4
  .cfi_endproc
muster_bank_thunks_end:
.endm

// Jumps to the function of the bank's runtime, whatever the return address.
.macro MUSTER_BANK_CODE bank, states
  .p2align 4
muster_bank_\bank\()_\states:
  .cfi_startproc
  .if \states
  movq t_muster_fold_state@gottpoff(%rip), %r10
  testb $\states, %fs:(%r10)
  jne 3f
  .endif
  .if \states == MUSTER_ENTRY_STATES
  movq t_muster_bank@gottpoff(%rip), %r10
  movb $\bank, %fs:(%r10)
  .endif
  leaq muster_bank_functions(%rip), %r10
  movq (%r10,%r11,8), %r10
  testq %r10, %r10
  je 3f
  jmpq *%r10
3:
  leaq muster_thunk_decide(%rip), %r10
  jmp muster_thunk_slow_path
  .cfi_endproc
.endm

// Jumps to the function that `decide` returns: for functions of the C library (inheriting_calls.cpp), and for calls of a
// runtime that a tool observes (observed_calls.cpp).
.macro MUSTER_DECIDED_THUNK name, index, decide
  .globl \name
  .type \name, @function
  .p2align 4
\name:
  .cfi_startproc
  endbr64
  movl $\index, %r11d
  leaq \decide(%rip), %r10
  jmp muster_thunk_slow_path
  .cfi_endproc
  .size \name, .-\name
.endm

// Calls the function in r10 with (index, return address, first argument, second one) and jumps to the function that it returns,
// with all registers as at the call of the thunk. rax is the number of vector registers in a variadic call.
.macro MUSTER_THUNKS_END
  .type muster_thunk_slow_path, @function
  .p2align 4
muster_thunk_slow_path:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  andq $-16, %rsp
  subq $192, %rsp
  movq %rdi, 0(%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movaps %xmm0, 64(%rsp)
  movaps %xmm1, 80(%rsp)
  movaps %xmm2, 96(%rsp)
  movaps %xmm3, 112(%rsp)
  movaps %xmm4, 128(%rsp)
  movaps %xmm5, 144(%rsp)
  movaps %xmm6, 160(%rsp)
  movaps %xmm7, 176(%rsp)
  movq %rsi, %rcx
  movq %rdi, %rdx
  movl %r11d, %edi
  movq 8(%rbp), %rsi
  call *%r10
  movq %rax, %r11
  movq 0(%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movq 48(%rsp), %rax
  movaps 64(%rsp), %xmm0
  movaps 80(%rsp), %xmm1
  movaps 96(%rsp), %xmm2
  movaps 112(%rsp), %xmm3
  movaps 128(%rsp), %xmm4
  movaps 144(%rsp), %xmm5
  movaps 160(%rsp), %xmm6
  movaps 176(%rsp), %xmm7
  leave
  .cfi_def_cfa %rsp, 8
  jmpq *%r11
  .cfi_endproc
  .size muster_thunk_slow_path, .-muster_thunk_slow_path

  .section .note.GNU-stack, "", @progbits
.endm
