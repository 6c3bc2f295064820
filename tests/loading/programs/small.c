// A runtime that has what user.c calls and nothing else: no tasks, no nested regions.
#define _GNU_SOURCE
#include <pthread.h>

enum { kThreads = 3 };

static pthread_barrier_t g_barrier;
static __thread int t_thread, t_threads = 1;

typedef struct {
  void (*function)(void*);
  void* data;
  int thread;
} Part;

static void* run(void* part_of_mine) {
  Part* part = part_of_mine;
  t_thread = part->thread;
  t_threads = kThreads;
  part->function(part->data);
  t_threads = 1;
  t_thread = 0;
  return 0;
}

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  (void)threads;
  (void)flags;
  static pthread_mutex_t one_region = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&one_region);
  pthread_t others[kThreads];
  Part parts[kThreads];
  pthread_barrier_init(&g_barrier, 0, kThreads);
  for (int i = 0; i < kThreads; ++i) parts[i] = (Part){function, data, i};
  for (int i = 1; i < kThreads; ++i) pthread_create(&others[i], 0, run, &parts[i]);
  run(&parts[0]);
  for (int i = 1; i < kThreads; ++i) pthread_join(others[i], 0);
  pthread_barrier_destroy(&g_barrier);
  pthread_mutex_unlock(&one_region);
}

void GOMP_barrier(void);
void GOMP_barrier(void) { pthread_barrier_wait(&g_barrier); }

int omp_get_thread_num(void);
int omp_get_thread_num(void) { return t_thread; }

int omp_get_num_threads(void);
int omp_get_num_threads(void) { return t_threads; }
