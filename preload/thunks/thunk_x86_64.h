// The thunks' machine code for x86-64, SysV ABI. Included by the generated thunks.S.
//
// A thunk keeps every register that may hold an argument and leaves the return address where it is, so
// it serves any signature. r10 and r11 may be used between caller and callee.

.macro MUSTER_THUNK name, index
  .globl \name
  .type \name, @function
  .balign 16
\name:
  .cfi_startproc
  endbr64
  movq t_muster_watches@gottpoff(%rip), %r11
  cmpb $0, %fs:(%r11)
  jne .Lwatched\index
  jmpq *muster_thunk_targets+8*\index(%rip)
.Lwatched\index:
  movl $\index, %r11d
  jmp muster_thunk_watched
  .cfi_endproc
  .size \name, .-\name
.endm

// Calls `decide(index, return address)`, which says where to go on, and goes on there as if it had
// been called at once.
.macro MUSTER_THUNK_SLOW_PATH name, decide
  .type \name, @function
  .balign 16
\name:
  .cfi_startproc
  endbr64
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
  movl %r11d, %edi
  movq 8(%rbp), %rsi
  call \decide
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
  .size \name, .-\name
.endm

// What an entry of muster_thunk_targets points to until the runtime is known, and where the caller
// decides which one it is.
.macro MUSTER_THUNK_UNRESOLVED index
  .balign 8
muster_thunk_unresolved\index:
  endbr64
  movl $\index, %r11d
  jmp muster_thunk_resolve
.endm
