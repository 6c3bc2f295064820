// muster_call_with_words (call_with_words.h): the first words go into registers, the others to the stack.

#if defined(__x86_64__)

  .text
  .hidden muster_call_with_words
  .globl muster_call_with_words
  .type muster_call_with_words, @function
  .p2align 4
muster_call_with_words:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %r11
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %r10
  subq $4, %r8
  leaq 8(,%r8,8), %rax
  andq $-16, %rax
  subq %rax, %rsp
1:
  movq 24(%r10,%r8,8), %rax
  movq %rax, -8(%rsp,%r8,8)
  decq %r8
  jnz 1b
  movq 0(%r10), %rdx
  movq 8(%r10), %rcx
  movq 16(%r10), %r8
  movq 24(%r10), %r9
  xorl %eax, %eax
  call *%r11
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size muster_call_with_words, .-muster_call_with_words

#elif defined(__aarch64__)

  .text
  .hidden muster_call_with_words
  .globl muster_call_with_words
  .type muster_call_with_words, %function
  .p2align 4
muster_call_with_words:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x29, -16
  .cfi_offset x30, -8
  mov x29, sp
  .cfi_def_cfa_register x29
  mov x16, x0
  mov x0, x1
  mov x1, x2
  mov x9, x3
  subs x10, x4, #6
  b.eq 2f
  add x11, x10, #1
  and x11, x11, #-2
  sub sp, sp, x11, uxtx #3
  add x11, x9, #48
  mov x13, sp
1:
  sub x10, x10, #1
  ldr x12, [x11, x10, lsl #3]
  str x12, [x13, x10, lsl #3]
  cbnz x10, 1b
2:
  ldp x2, x3, [x9]
  ldp x4, x5, [x9, #16]
  ldp x6, x7, [x9, #32]
  blr x16
  mov sp, x29
  ldp x29, x30, [sp], #16
  .cfi_def_cfa sp, 0
  .cfi_restore x29
  .cfi_restore x30
  ret
  .cfi_endproc
  .size muster_call_with_words, .-muster_call_with_words

#elif defined(__powerpc64__)

  .abiversion 2
  .text
  .hidden muster_call_with_words
  .globl muster_call_with_words
  .type muster_call_with_words, @function
  .p2align 4
muster_call_with_words:
  .cfi_startproc
  mflr 0
  std 0, 16(1)
  std 31, -8(1)
  mr 31, 1
  .cfi_def_cfa_register 31
  .cfi_offset 65, 16
  .cfi_offset 31, -8
  // The linkage area, one slot per argument, r31.
  sldi 8, 7, 3
  addi 8, 8, 71
  rldicr 8, 8, 0, 59
  neg 8, 8
  stdux 1, 1, 8
  std 2, 24(1)
  cmpdi 7, 6
  beq 2f
  addi 7, 7, -6
  mtctr 7
  addi 8, 6, 40
  addi 9, 1, 88
1:
  ldu 0, 8(8)
  stdu 0, 8(9)
  bdnz 1b
2:
  mr 12, 3
  mtctr 12
  mr 3, 4
  mr 4, 5
  mr 11, 6
  ld 5, 0(11)
  ld 6, 8(11)
  ld 7, 16(11)
  ld 8, 24(11)
  ld 9, 32(11)
  ld 10, 40(11)
  bctrl
  ld 2, 24(1)
  mr 1, 31
  .cfi_def_cfa_register 1
  ld 31, -8(1)
  .cfi_restore 31
  ld 0, 16(1)
  mtlr 0
  .cfi_restore 65
  blr
  .cfi_endproc
  .size muster_call_with_words, .-muster_call_with_words

#endif

  .section .note.GNU-stack, "", %progbits
