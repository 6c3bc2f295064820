// Signals: handled by the primary thread in the serial part, by parked workers, by all in regions;
// timers; and the mask, which workers do not take over from one region to the next.
// muster-test: folded >= 20
// muster-test: auto
// muster-test: case handler
// muster-test: arguments handler
// muster-test: case parked
// muster-test: arguments parked
// muster-test: case mask
// muster-test: arguments mask
// muster-test: case timer
// muster-test: arguments timer
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "trap.h"

static int handled;
static pthread_t threads[kMostThreads];

static void handler(int number) {
  (void)number;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static int handled_so_far(void) { return __atomic_load_n(&handled, __ATOMIC_RELAXED); }

static void nap(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static void wait_for(int count) {
  for (int i = 0; i < 5000 && handled_so_far() < count; ++i) nap(1);
  printf("%d of %d handled\n", handled_so_far(), count);
}

static int blocked(void) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  return sigismember(&mask, SIGUSR1) + 2 * sigismember(&mask, SIGUSR2);
}

static void show_masks(const char* when) {
  int of[kMostThreads];
#pragma omp parallel
  of[omp_get_thread_num()] = blocked();
  printf("%s: serial %d |", when, blocked());
  for (int i = 0; i < omp_get_max_threads(); ++i) printf(" %d", of[i]);
  printf("\n");
}

static void masks(void) {
  sigset_t set;
  show_masks("at first");
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  show_masks("blocked by the serial part");
  settle();
  omp_set_num_threads(6);
  show_masks("two more threads");
  omp_set_num_threads(4);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  settle();
#pragma omp parallel
  if (omp_get_thread_num() == 2) pthread_sigmask(SIG_BLOCK, &set, NULL);
  show_masks("blocked by a worker");
  settle();
  show_masks("still");
}

static void parked(void) {
#pragma omp parallel
  threads[omp_get_thread_num()] = pthread_self();
  for (int round = 1; round <= 3; ++round) {
    if (round == 3) nap(300);  // asleep by now
    for (int i = 1; i < omp_get_max_threads(); ++i) pthread_kill(threads[i], SIGUSR1);
    wait_for(3 * round);
    settle();
  }
}

static void timer(void) {
  signal(SIGALRM, handler);
  struct itimerval every = {{0, 2000}, {0, 2000}}, none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  long sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum += regions(20);
    nap(3);
  }
  setitimer(ITIMER_REAL, &none, NULL);
  printf("sum %ld, handled %d\n", sum, handled_so_far() > 5);
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "handler";
  signal(SIGUSR1, handler);
  settle();
  if (strcmp(what, "mask") == 0) masks();
  if (strcmp(what, "parked") == 0) parked();
  if (strcmp(what, "timer") == 0) timer();
  if (strcmp(what, "handler") == 0) {
    for (int i = 0; i < 5; ++i) {
      raise(SIGUSR1);
      printf("%d; %ld\n", handled_so_far(), regions(3));
#pragma omp parallel
      raise(SIGUSR1);
      printf("%d; %ld\n", handled_so_far(), regions(3));
    }
  }
  return finish();
}
