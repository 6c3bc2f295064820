// The program's first regions are those of another thread; the initial one comes later.
// muster-test: folded >= 45
// muster-test: closed "end" >= 3
#include <pthread.h>

#include "trap.h"

static void* root(void* unused) {
  (void)unused;
  settle();
  return NULL;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, root, NULL);
    pthread_join(thread, NULL);
    settle();
  }
  return finish();
}
