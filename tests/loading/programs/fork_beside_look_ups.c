// Forks while other threads look a runtime's function up, for which Muster reads the loader's list. Each child asks for a
// file that is not there: the lock of that list must not have stayed locked. fork_beside_look_ups FORKS
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int stop;

static void* look_up(void* program) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) dlsym(program, "omp_get_max_threads");
  return program;
}

int main(int count, char** argument) {
  enum { kThreads = 3 };
  pthread_t threads[kThreads];
  void* program = dlopen(NULL, RTLD_NOW);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, look_up, program);
  int wrong = 0;
  for (int left = count > 1 ? atoi(argument[1]) : 1; left > 0; --left) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // the default action ends it
      _exit(dlopen("not-there.so", RTLD_NOW) != NULL);
    }
    int status = 1;
    if (waitpid(child, &status, 0) != child || status != 0) ++wrong;
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("wrong %d\n", wrong);
  return wrong != 0;
}
