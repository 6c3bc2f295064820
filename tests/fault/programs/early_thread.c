// A shared object whose constructor starts a thread, as OpenBLAS's does.
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void* sleeps(void* unused) {
  pause();
  return unused;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleeps, NULL) == 0) pthread_detach(thread);
}
