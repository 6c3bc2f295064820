// Detached tasks: a region does not end before their events have been fulfilled, even by a
// thread outside of it.
// muster-test: folded >= 15
// muster-test: auto
// muster-test: skip gcc: the GOMP layer of libomp knows no detached tasks
// muster-test: skip gnu: the same
// muster-test: skip libgomp: stock crashes where a thread of no team fulfils the event
#include <pthread.h>
#include <time.h>

#include "trap.h"

static omp_event_handle_t events[4];
static int ready, done;

static void* fulfill(void* unused) {
  (void)unused;
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) sched_yield();
  nanosleep(&(struct timespec){0, 2000000}, NULL);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  omp_fulfill_event(events[0]);
  return NULL;
}

static void from_inside(int who) {
  int after = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) {
      omp_event_handle_t event;
#pragma omp task detach(event)
      __atomic_fetch_add(&after, 1, __ATOMIC_RELAXED);
      omp_fulfill_event(event);
    }
  }
  printf("inside: %d; %ld\n", after, regions(3));
}

static void from_outside(void) {
  pthread_t thread;
  ready = done = 0;
  pthread_create(&thread, NULL, fulfill, NULL);
#pragma omp parallel
#pragma omp master
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    {
    }
    events[0] = event;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  }
  printf("outside: done %d; %ld\n", __atomic_load_n(&done, __ATOMIC_ACQUIRE), regions(3));
  pthread_join(thread, NULL);
}

int main(void) {
  settle();
  for (int round = 0; round < 4; ++round) {
    from_inside(round);
    from_outside();
    settle();
  }
  return finish();
}
