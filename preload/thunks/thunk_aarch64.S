// The thunks' machine code for AArch64 (AAPCS64), included by the generated thunks.S.
//
// A thunk works for any signature: it preserves every register that may hold an argument or the address of a result
// (x0 to x8, q0 to q7), and the stack. x14 to x17 are free between caller and callee. hint #34 is `bti c`, a
// valid target for calls and for jumps through x16 and x17.

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

.macro MUSTER_SET_BANK value
  adrp x15, :gottprel:t_muster_bank
  ldr x15, [x15, #:gottprel_lo12:t_muster_bank]
  mrs x14, tpidr_el0
  strb \value, [x14, x15]
.endm

// Jumps to the runtime's function, found in the list of known calling objects (thunks.cpp, struct Target). Takes the
// slow path for a new caller, and in a thread in one of the states, if there are any.
.macro MUSTER_THUNK name, index, states
  .globl \name
  .type \name, %function
  .p2align 4
\name:
  .cfi_startproc
  hint #34
  .if \states
  adrp x17, :gottprel:t_muster_fold_state
  ldr x17, [x17, #:gottprel_lo12:t_muster_fold_state]
  mrs x16, tpidr_el0
  ldrb w16, [x16, x17]
  tst w16, #\states
  b.ne 3f
  .endif
  adrp x16, muster_thunk_targets+8*\index
  ldr x16, [x16, #:lo12:muster_thunk_targets+8*\index]
1:
  cbz x16, 3f
  ldp x17, x15, [x16]
  sub x17, x30, x17
  cmp x17, x15
  b.hs 2f
  ldr x16, [x16, #16]
  .if \states == MUSTER_ENTRY_STATES
  MUSTER_SET_BANK wzr
  .endif
  br x16
2:
  ldr x16, [x16, #24]
  b 1b
3:
  mov w17, #\index
  adrp x15, muster_thunk_decide
  add x15, x15, #:lo12:muster_thunk_decide
  b muster_thunk_slow_path
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
  hint #34
  mov w17, #(\bank*muster_bank_size+\index)
  b muster_bank_\bank\()_\states
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
  adrp x16, :gottprel:t_muster_fold_state
  ldr x16, [x16, #:gottprel_lo12:t_muster_fold_state]
  mrs x15, tpidr_el0
  ldrb w16, [x15, x16]
  tst w16, #\states
  b.ne 3f
  .endif
  .if \states == MUSTER_ENTRY_STATES
  mov w16, #\bank
  MUSTER_SET_BANK w16
  .endif
  adrp x16, muster_bank_functions
  add x16, x16, #:lo12:muster_bank_functions
  ldr x16, [x16, x17, lsl #3]
  cbz x16, 3f
  br x16
3:
  adrp x15, muster_thunk_decide
  add x15, x15, #:lo12:muster_thunk_decide
  b muster_thunk_slow_path
  .cfi_endproc
.endm

// Jumps to the function that `decide` returns: for functions of the C library (inheriting_calls.cpp), and for calls of a
// runtime that a tool observes (observed_calls.cpp).
.macro MUSTER_DECIDED_THUNK name, index, decide
  .globl \name
  .type \name, %function
  .p2align 4
\name:
  .cfi_startproc
  hint #34
  mov w17, #\index
  adrp x15, \decide
  add x15, x15, #:lo12:\decide
  b muster_thunk_slow_path
  .cfi_endproc
  .size \name, .-\name
.endm

// Calls the function in x15 with (index, return address, first argument, second one) and jumps to the function that it returns,
// with all registers as at the call of the thunk.
.macro MUSTER_THUNKS_END
  .type muster_thunk_slow_path, %function
  .p2align 4
muster_thunk_slow_path:
  .cfi_startproc
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset x29, -224
  .cfi_offset x30, -216
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x3, x1
  mov x2, x0
  mov w0, w17
  mov x1, x30
  blr x15
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  .cfi_def_cfa sp, 0
  .cfi_restore x29
  .cfi_restore x30
  br x16
  .cfi_endproc
  .size muster_thunk_slow_path, .-muster_thunk_slow_path

  .section .note.GNU-stack, "", %progbits
.endm
