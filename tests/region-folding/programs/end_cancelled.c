// Threads that end by pthread_cancel while a fold of theirs is open: the initial one and another root, asleep in the
// serial part.
// muster-test: unordered
// muster-test: folded >= 10
// muster-test: case initial-sleeps
// muster-test: arguments initial sleep
// muster-test: auto
// muster-test: case initial-waits
// muster-test: arguments initial wait
// muster-test: case root-sleeps
// muster-test: arguments root sleep
// muster-test: closed "end" >= 1
// muster-test: auto
// muster-test: case root-waits
// muster-test: arguments root wait
// muster-test: closed "end" >= 1
// muster-test: case initial-exits
// muster-test: arguments initial exit
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "trap.h"

static const char* how;
static pthread_t victim;
static pthread_barrier_t ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void unlock(void* unused) {
  (void)unused;
  printf("cleaned up, %d thread(s)\n", omp_get_num_threads());
  pthread_mutex_unlock(&mutex);
}

static void destroy(void* value) { printf("key %ld, level %d\n", (long)value, omp_get_level()); }

// Opens a fold and is cancelled.
static void end_here(void) {
  printf("the one that ends: %ld\n", regions(12));
  pthread_barrier_wait(&ready);
  if (strcmp(how, "exit") == 0) pthread_exit(NULL);
  if (strcmp(how, "sleep") == 0) {
    for (;;) sleep(100);
  }
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
}

static void* root(void* unused) {
  (void)unused;
  end_here();
  return NULL;
}

static void end_it(void) {
  pthread_barrier_wait(&ready);
  usleep(10000);
  if (strcmp(how, "exit") != 0) pthread_cancel(victim);
  void* result = NULL;
  const int status = pthread_join(victim, &result);
  printf("joined: %d, %s\n", status, result == PTHREAD_CANCELED ? "cancelled" : "ended");
}

static void* goes_on(void* unused) {
  (void)unused;
  printf("the other one: %ld\n", regions(12));
  end_it();
  printf("the other one: %ld, level %d\n", regions(12), omp_get_level());
  exit(0);
}

int main(int count, char** arguments) {
  if (count < 3) return 1;
  how = arguments[2];
  pthread_barrier_init(&ready, NULL, 2);
  pthread_key_t key;
  pthread_key_create(&key, destroy);
  pthread_setspecific(key, (void*)7);
  pthread_t thread;
  if (strcmp(arguments[1], "initial") == 0) {
    victim = pthread_self();
    pthread_create(&thread, NULL, goes_on, NULL);
    end_here();
  }
  for (int i = 0; i < 3; ++i) {
    pthread_create(&victim, NULL, root, NULL);
    end_it();
    settle();
  }
  return finish();
}
