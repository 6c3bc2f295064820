// Root threads end in every way while their folds are open.
// muster-test: folded >= 10
// muster-test: case returns
// muster-test: arguments returns
// muster-test: closed "end" >= 4
// muster-test: auto
// muster-test: case pthread_exit
// muster-test: arguments pthread_exit
// muster-test: closed "end" >= 4
// muster-test: case cancelled
// muster-test: arguments cancelled
// muster-test: closed "end" >= 4
// muster-test: case key-destructor
// muster-test: arguments key-destructor
// muster-test: closed "end" >= 4
// muster-test: unfolded "the thread is ending" >= 4
// muster-test: case main-returns
// muster-test: arguments main-returns
// muster-test: case main-returns-in-region
// muster-test: arguments main-returns-in-region
// muster-test: fails-stock libiomp5 frees at exit what its idle threads read
// muster-test: case exits
// muster-test: arguments exits
// muster-test: status 5
// muster-test: case closed-before
// muster-test: arguments closed-before
// muster-test: closed "end" >= 3
// muster-test: case many
// muster-test: arguments many
// muster-test: closed "end" >= 200
// muster-test: auto folded >= 1000
#define _GNU_SOURCE  // fopencookie
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "trap.h"

static const char* how;
static pthread_key_t key;
static atomic_int ready;

static int is(const char* name) { return strcmp(how, name) == 0; }

static void destroy(void* value) { *(long*)value = 10000 + regions(3); }

static void* root(void* value) {
  *(long*)value = regions(12);
  // Every other one ends without a fold; the next one, which takes over from it, must not see a difference.
  static int number;
  if (is("closed-before") && number++ % 2 == 0) {
#pragma omp for
    for (int i = 0; i < 2; ++i) *(long*)value += 0 * i;
  }
  if (is("key-destructor")) pthread_setspecific(key, value);
  if (is("pthread_exit")) pthread_exit(value);
  if (is("exits")) exit(5);
  if (is("main-returns-in-region")) {
#pragma omp parallel
    {
      atomic_fetch_add(&ready, 1);
      for (;;) pause();
    }
  }
  atomic_fetch_add(&ready, 1);
  if (is("cancelled") || is("main-returns")) {
    for (;;) pause();  // with its fold open
  }
  return value;
}

static ssize_t write_slowly(void* cookie, const char* text, size_t size) {
  (void)cookie, (void)text;
  usleep(5000);
  return (ssize_t)size;
}

// The process lives on for a while when the runtime's destructors have run: streams are flushed last.
// Threads that still read what those freed are found out.
static void end_slowly(void) {
  FILE* stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_slowly});
  fputc('x', stream);
}

static void wait_for(int count) {
  while (atomic_load(&ready) < count) usleep(1000);
}

static int number_of_threads(void) {
  char line[200];
  int threads = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
    if (sscanf(line, "Threads: %d", &threads) == 1) break;
  }
  if (status != NULL) fclose(status);
  return threads;
}

int main(int count, char** arguments) {
  how = count > 1 ? arguments[1] : "returns";
  // Before the runtime makes its own, by which it forgets the thread.
  pthread_key_create(&key, destroy);
  settle();
  pthread_t thread;
  long value = 0;
  if (is("main-returns") || is("main-returns-in-region")) {
    pthread_create(&thread, NULL, root, &value);
    wait_for(1);
    if (is("main-returns")) end_slowly();
    return 0;
  }
  if (is("exits")) {
    pthread_create(&thread, NULL, root, &value);
    for (;;) pause();
  }
  for (int i = 0; i < (is("many") ? 200 : 4); ++i) {
    pthread_create(&thread, NULL, root, &value);
    if (is("cancelled")) {
      wait_for(i + 1);
      pthread_cancel(thread);
    }
    pthread_join(thread, NULL);
    if (i < 4 || value != 12 * 13 / 2 * 4) printf("%d: %ld, %ld\n", i, value, regions(2));
  }
  // The runtime has the threads of ended folds back, for the next.
  printf("threads: %s\n", number_of_threads() <= 12 ? "few" : "many");
  return finish();
}
