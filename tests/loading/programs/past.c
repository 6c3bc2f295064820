// Regions that reach a runtime by another way than this program's own ones: through the runtime's handle, or from an
// object that was opened with RTLD_DEEPBIND. Their two members wait for each other, without OpenMP's help.
//   past WAY RUNTIME OBJECT     RUNTIME: the soname of the one that this program is linked with
// Built with -DOBJECT, it is that object.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  int came, members, level, met;
} Meeting;

static void meet(void* data) {
  Meeting* here = data;
  __atomic_store_n(&here->members, omp_get_num_threads(), __ATOMIC_RELAXED);
  __atomic_store_n(&here->level, omp_get_level(), __ATOMIC_RELAXED);
  __atomic_add_fetch(&here->came, 1, __ATOMIC_RELAXED);
  const double begin = omp_get_wtime();
  while (__atomic_load_n(&here->came, __ATOMIC_RELAXED) < 2 && omp_get_wtime() - begin < 5)
    sched_yield();
  if (__atomic_load_n(&here->came, __ATOMIC_RELAXED) == 2)
    __atomic_add_fetch(&here->met, 1, __ATOMIC_RELAXED);
}

#ifdef OBJECT
void region(Meeting* here) {
#pragma omp parallel num_threads(2)
  meet(here);
}
// Without a look-up by the program.
__attribute__((weak)) void (*tell)(void (*function)(Meeting*));
__attribute__((constructor)) static void tells(void) {
  void (**place)(void (*)(Meeting*)) = dlsym(RTLD_DEFAULT, "g_tell");
  if (place != NULL) (*place)(region);
}
#else
typedef void Parallel(void (*)(void*), void*, unsigned, unsigned);

static void (*g_region)(Meeting*);
static void told(void (*function)(Meeting*)) { g_region = function; }
void (*g_tell)(void (*)(Meeting*)) = told;

static int g_wrong;

static void check(const Meeting* here) {
  if (here->members != 2 || here->level != 1 || here->met != 2) ++g_wrong;
}

static void* open_file(const char* file, int mode) {
  void* handle = dlopen(file, mode);
  if (handle == NULL) puts(dlerror()), exit(2);
  return handle;
}

static void by_object(const char* file, int mode) {
  void* handle = g_region == NULL ? open_file(file, mode | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
  if (g_region == NULL) g_region = (void (*)(Meeting*))dlsym(handle, "region");
  Meeting here = {0};
  g_region(&here);
  check(&here);
}

static void by_handle(const char* runtime, const char* version) {
  void* handle = open_file(runtime, RTLD_NOW | RTLD_NOLOAD);
  Parallel* parallel = (Parallel*)(version != NULL ? dlvsym(handle, "GOMP_parallel", version)
                                                   : dlsym(handle, "GOMP_parallel"));
  if (parallel == NULL) exit(2);
  Meeting here = {0};
  parallel(meet, &here, 2, 0);
  check(&here);
  const int size = ((int (*)(void))dlsym(handle, "omp_get_level"))();
  if (size != 0) ++g_wrong;
}

static void by_old_version(const char* runtime) {
  void* handle = open_file(runtime, RTLD_NOW | RTLD_NOLOAD);
  if (dlvsym(handle, "omp_set_nest_lock", "OMP_1.0") == NULL) exit(2);
}

static void do_it(char** argument) {
  const char *way = argument[1], *runtime = argument[2], *object = argument[3];
  if (strcmp(way, "object") == 0) by_object(object, RTLD_NOW);
  if (strcmp(way, "lazily") == 0) by_object(object, RTLD_LAZY);
  if (strcmp(way, "handle") == 0) by_handle(runtime, NULL);
  if (strcmp(way, "version") == 0) by_handle(runtime, "GOMP_4.0");
  if (strcmp(way, "old") == 0) by_old_version(runtime);
}

int main(int count, char** argument) {
  if (count != 4) return 2;
  alarm(60);
  omp_set_dynamic(0);
  long sum = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
      sum += 1;
    }
    do_it(argument);
  }
  printf("sum %ld, wrong %d\n", sum, g_wrong);
  return g_wrong != 0;
}
#endif
