// The initial thread ends and others go on; or another thread ends the process while the initial one
// is in its serial part.
// muster-test: folded >= 5
// muster-test: case main-ends
// muster-test: arguments main-ends
// muster-test: closed "end" >= 1
// muster-test: case other-exits
// muster-test: arguments other-exits
// muster-test: status 3
// muster-test: case other-returns
// muster-test: arguments other-returns
// muster-test: case key-destructor
// muster-test: arguments key
// muster-test: closed "end" >= 1
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trap.h"

static pthread_t initial;

static void* go_on(void* unused) {
  (void)unused;
  pthread_join(initial, NULL);
  printf("the other one: %ld, level %d\n", regions(12), omp_get_level());
  exit(0);
}

static void* end_all(void* unused) {
  (void)unused;
  printf("ends all\n");
  exit(3);
}

static void* come_back(void* unused) {
  (void)unused;
  printf("the other one: %ld\n", regions(12));
  return NULL;
}

static void destroy(void* value) { printf("key %ld: %ld\n", (long)value, regions(3)); }

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "main-ends";
  initial = pthread_self();
  // Before the runtime makes its key: by the time of later ones, libomp has forgotten the thread, and
  // a region crashes.
  pthread_key_t key;
  pthread_key_create(&key, destroy);
  settle();
  pthread_t thread;
  if (strcmp(how, "main-ends") == 0) {
    pthread_create(&thread, NULL, go_on, NULL);
    pthread_exit(NULL);
  }
  if (strcmp(how, "other-exits") == 0) {
    pthread_create(&thread, NULL, end_all, NULL);
    for (;;) pause();
  }
  if (strcmp(how, "other-returns") == 0) {
    for (int i = 0; i < 4; ++i) {
      pthread_create(&thread, NULL, come_back, NULL);
      pthread_join(thread, NULL);
      settle();
    }
    return finish();
  }
  pthread_setspecific(key, (void*)7);
  pthread_create(&thread, NULL, go_on, NULL);
  settle();
  pthread_exit(NULL);
}
