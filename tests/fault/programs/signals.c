// signals process|thread restart|norestart: a signal every 500 us, to the process or to a single
// thread, while barriers go on for half a second, and until 50 have been handled.
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

static int received;
static int cell[kMaxThreads];

// In several threads at once, perhaps.
static void count_one(int number) {
  (void)number;
  __atomic_fetch_add(&received, 1, __ATOMIC_RELAXED);
}

static int received_so_far(void) { return __atomic_load_n(&received, __ATOMIC_RELAXED); }

static void start_process_timer(void) {
  struct itimerval interval = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &interval, NULL);
}

static void start_thread_timer(void) {
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGALRM;
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) exit(2);
  struct itimerspec interval = {{0, 500000}, {0, 500000}};
  timer_settime(timer, 0, &interval, NULL);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_one;
  action.sa_flags = strcmp(arguments[2], "restart") == 0 ? SA_RESTART : 0;
  sigaction(SIGALRM, &action, NULL);
  int whole_process = strcmp(arguments[1], "process") == 0;
  if (whole_process) start_process_timer();
  double begin = omp_get_wtime();
  int going = 1;
#pragma omp parallel
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    if (!whole_process && me == n - 1) start_thread_timer();
    for (int round = 1; going; ++round) {
      cell[me] = round;
      if (me == round % n) {
        struct timespec time = {0, 200000};
        nanosleep(&time, NULL);
      }
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[i] == round);
#pragma omp barrier
      if (me == 0) going = omp_get_wtime() - begin < 0.5 || received_so_far() < 50;
#pragma omp barrier
    }
  }
  return verdict("signals", 0);
}
