// longjmp in the serial part, over functions that ran regions, and out of a signal handler there; and
// a second stack that runs regions (swapcontext).
// muster-test: folded >= 30
// muster-test: auto
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include "trap.h"

static jmp_buf where;
static sigjmp_buf where_of_signal;
static ucontext_t here, there;
static char stack[1 << 18];

__attribute__((noinline)) static void deep(int depth) {
  if (regions(1) == 0 || depth == 0) longjmp(where, 5);
  deep(depth - 1);
}

static void handler(int number) { siglongjmp(where_of_signal, number); }

static void on_other_stack(void) {
  for (int i = 0; i < 5; ++i) {
    printf("other stack: %ld\n", regions(3));
    swapcontext(&there, &here);
  }
}

int main(void) {
  volatile int rounds = 0;
  settle();
  int value = setjmp(where);
  printf("jumped with %d; %ld\n", value, regions(3));
  if (++rounds < 6) deep(rounds);
  signal(SIGUSR1, handler);
  rounds = 0;
  value = sigsetjmp(where_of_signal, 1);
  printf("from a handler %d; %ld\n", value != 0, regions(3));
  if (++rounds < 6) raise(SIGUSR1);
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof(stack);
  there.uc_link = &here;
  makecontext(&there, on_other_stack, 0);
  for (int i = 0; i < 6; ++i) {
    swapcontext(&here, &there);
    printf("own stack: %ld\n", regions(3));
  }
  return finish();
}
