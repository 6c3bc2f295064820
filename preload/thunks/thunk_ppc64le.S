// The thunks' machine code for little-endian POWER (ELFv2 ABI), included by the generated thunks.S.
//
// A thunk works for any signature: it preserves every register that may hold an argument or the address of a result
// (r3 to r10, f1 to f13, v2 to v13), and the stack. r0, r11 and r12 are free between caller and callee, and so is r2,
// which a caller saves before it calls another object's function. A function is entered with its address in r12, from
// which it computes its table of contents (r2).

#define MUSTER_ENTRY_STATES 2  // only entry points test for these

.macro MUSTER_THUNKS_BEGIN
  .abiversion 2
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

.macro MUSTER_THUNK_ENTRY name
  .globl \name
  .type \name, @function
  .p2align 4
\name:
  .cfi_startproc
  addis 2, 12, .TOC.-\name@ha
  addi 2, 2, .TOC.-\name@l
  .localentry \name, .-\name
.endm

.macro MUSTER_SET_BANK scratch, value
  addis \scratch, 2, t_muster_bank@got@tprel@ha
  ld \scratch, t_muster_bank@got@tprel@l(\scratch)
  add \scratch, \scratch, t_muster_bank@tls
  li 0, \value
  stb 0, 0(\scratch)
.endm

// Jumps to the runtime's function, found in the list of known calling objects (thunks.cpp, struct Target). Takes the
// slow path for a new caller, and in a thread in one of the states, if there are any.
.macro MUSTER_THUNK name, index, states
  MUSTER_THUNK_ENTRY \name
  .if \states
  addis 11, 2, t_muster_fold_state@got@tprel@ha
  ld 11, t_muster_fold_state@got@tprel@l(11)
  add 11, 11, t_muster_fold_state@tls
  lbz 11, 0(11)
  andi. 11, 11, \states
  bne 3f
  .endif
  addis 11, 2, muster_thunk_targets+8*\index@toc@ha
  ld 11, muster_thunk_targets+8*\index@toc@l(11)
1:
  cmpdi 11, 0
  beq 3f
  mflr 0
  ld 12, 0(11)
  subf 0, 12, 0
  ld 12, 8(11)
  cmpld 0, 12
  bge 2f
  ld 12, 16(11)
  .if \states == MUSTER_ENTRY_STATES
  MUSTER_SET_BANK 11, 0
  .endif
  mtctr 12
  bctr
2:
  ld 11, 24(11)
  b 1b
3:
  li 11, \index
  addis 12, 2, muster_thunk_decide@toc@ha
  addi 12, 12, muster_thunk_decide@toc@l
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
muster_bank_thunk_\bank\()_\index:
  addis 2, 12, .TOC.-muster_bank_thunk_\bank\()_\index@ha
  addi 2, 2, .TOC.-muster_bank_thunk_\bank\()_\index@l
  li 11, \bank*muster_bank_size+\index
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
  addis 12, 2, t_muster_fold_state@got@tprel@ha
  ld 12, t_muster_fold_state@got@tprel@l(12)
  add 12, 12, t_muster_fold_state@tls
  lbz 12, 0(12)
  andi. 12, 12, \states
  bne 3f
  .endif
  .if \states == MUSTER_ENTRY_STATES
  MUSTER_SET_BANK 12, \bank
  .endif
  addis 12, 2, muster_bank_functions@toc@ha
  addi 12, 12, muster_bank_functions@toc@l
  sldi 0, 11, 3
  ldx 12, 12, 0
  cmpdi 12, 0
  beq 3f
  mtctr 12
  bctr
3:
  addis 12, 2, muster_thunk_decide@toc@ha
  addi 12, 12, muster_thunk_decide@toc@l
  b muster_thunk_slow_path
  .cfi_endproc
.endm

// Jumps to the function that `decide` returns: for functions of the C library (inheriting_calls.cpp), and for calls of a
// runtime that a tool observes (observed_calls.cpp).
.macro MUSTER_DECIDED_THUNK name, index, decide
  MUSTER_THUNK_ENTRY \name
  li 11, \index
  addis 12, 2, \decide@toc@ha
  addi 12, 12, \decide@toc@l
  b muster_thunk_slow_path
  .cfi_endproc
  .size \name, .-\name
.endm

// Calls the function in r12 with (index, return address, first argument, second one) and jumps to the function that it returns,
// with all registers as at the call of the thunk. The vector registers are saved in 16-byte steps from 208.
.macro MUSTER_VECTORS instruction
  li 0, 208
  \instruction 2, 1, 0
  li 0, 224
  \instruction 3, 1, 0
  li 0, 240
  \instruction 4, 1, 0
  li 0, 256
  \instruction 5, 1, 0
  li 0, 272
  \instruction 6, 1, 0
  li 0, 288
  \instruction 7, 1, 0
  li 0, 304
  \instruction 8, 1, 0
  li 0, 320
  \instruction 9, 1, 0
  li 0, 336
  \instruction 10, 1, 0
  li 0, 352
  \instruction 11, 1, 0
  li 0, 368
  \instruction 12, 1, 0
  li 0, 384
  \instruction 13, 1, 0
.endm

.macro MUSTER_THUNKS_END
  .type muster_thunk_slow_path, @function
  .p2align 4
muster_thunk_slow_path:
  .cfi_startproc
  mflr 0
  std 0, 16(1)
  .cfi_offset 65, 16
  stdu 1, -400(1)
  .cfi_def_cfa_offset 400
  std 3, 32(1)
  std 4, 40(1)
  std 5, 48(1)
  std 6, 56(1)
  std 7, 64(1)
  std 8, 72(1)
  std 9, 80(1)
  std 10, 88(1)
  stfd 1, 96(1)
  stfd 2, 104(1)
  stfd 3, 112(1)
  stfd 4, 120(1)
  stfd 5, 128(1)
  stfd 6, 136(1)
  stfd 7, 144(1)
  stfd 8, 152(1)
  stfd 9, 160(1)
  stfd 10, 168(1)
  stfd 11, 176(1)
  stfd 12, 184(1)
  stfd 13, 192(1)
  mr 6, 4
  mr 5, 3
  mr 4, 0
  MUSTER_VECTORS stvx
  mr 3, 11
  mtctr 12
  bctrl
  mr 12, 3
  MUSTER_VECTORS lvx
  ld 3, 32(1)
  ld 4, 40(1)
  ld 5, 48(1)
  ld 6, 56(1)
  ld 7, 64(1)
  ld 8, 72(1)
  ld 9, 80(1)
  ld 10, 88(1)
  lfd 1, 96(1)
  lfd 2, 104(1)
  lfd 3, 112(1)
  lfd 4, 120(1)
  lfd 5, 128(1)
  lfd 6, 136(1)
  lfd 7, 144(1)
  lfd 8, 152(1)
  lfd 9, 160(1)
  lfd 10, 168(1)
  lfd 11, 176(1)
  lfd 12, 184(1)
  lfd 13, 192(1)
  addi 1, 1, 400
  .cfi_def_cfa_offset 0
  ld 0, 16(1)
  mtlr 0
  .cfi_restore 65
  mtctr 12
  bctr
  .cfi_endproc
  .size muster_thunk_slow_path, .-muster_thunk_slow_path

  .section .note.GNU-stack, "", @progbits
.endm
