// As system_calls.c, for what is no system call, or costs less than one: each function is looked up once in the C library
// itself, before main.
#define _GNU_SOURCE
#include "platform/c_library/bound.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

// X(result, name, parameters, arguments)
#define FUNCTIONS(X)                                                                       \
  X(int, clock_gettime, (clockid_t clock, struct timespec * out), (clock, out))            \
  X(int, sched_getcpu, (void), ())                                                         \
  X(unsigned long, getauxval, (unsigned long type), (type))                                \
  X(int, vdprintf, (int file, const char* format, va_list words), (file, format, words))   \
  X(int, dl_iterate_phdr, (int (*visit)(struct dl_phdr_info*, size_t, void*), void* data), \
    (visit, data))                                                                         \
  X(int, dladdr1, (const void* address, Dl_info* out, void** extra, int flags),            \
    (address, out, extra, flags))                                                          \
  X(int, pthread_once, (pthread_once_t * once, void (*function)(void)), (once, function))  \
  X(int, pthread_setcancelstate, (int state, int* old), (state, old))                      \
  X(int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name))         \
  X(int, pthread_attr_setdetachstate, (pthread_attr_t * attributes, int state),            \
    (attributes, state))                                                                   \
  X(int, pthread_attr_setaffinity_np,                                                      \
    (pthread_attr_t * attributes, size_t size, const cpu_set_t* cpus), (attributes, size, cpus))

#define INDEX(result, name, parameters, arguments) k_##name,
enum { FUNCTIONS(INDEX) k_muster_sigaction, kCount };
#define TEXT(result, name, parameters, arguments) #name "\0"
static const char kNames[] = FUNCTIONS(TEXT) "sigaction";

static void bind_all(void);

// A constructor that comes before this object's may call Muster, hence first calls that look the functions up.
static void* g_functions[kCount];
#define DEFINE(result, name, parameters, arguments)                                \
  static result first_##name parameters {                                          \
    bind_all();                                                                    \
    return name arguments;                                                         \
  }                                                                                \
  result name parameters {                                                         \
    void* const found = __atomic_load_n(&g_functions[k_##name], __ATOMIC_RELAXED); \
    return ((__typeof__(&name))found)arguments;                                    \
  }
FUNCTIONS(DEFINE)
DEFINE(int, muster_sigaction, (int number, const struct sigaction* action, struct sigaction* old),
       (number, action, old))
#define FIRST(result, name, parameters, arguments) [k_##name] = (void*)first_##name,
static void* g_functions[kCount] = {FUNCTIONS(FIRST)[k_muster_sigaction] =
                                        (void*)first_muster_sigaction};

int dprintf(int file, const char* format, ...) {
  va_list words;
  va_start(words, format);
  const int length = vdprintf(file, format, words);
  va_end(words);
  return length;
}

// As in libc_nonshared.a, where the reference is not weak.
extern void* __dso_handle;
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void* object)
    __attribute__((weak));
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
  return __register_atfork != NULL ? __register_atfork(before, parent, child, __dso_handle)
                                   : ENOSYS;
}

static long missing(void) { return 0; }
static int g_bound;
static int g_missing;

// Before Muster's other constructors, while there is one thread.
__attribute__((constructor(101))) static void bind_all(void) {
  const char* name = kNames;
  for (int i = 0; i < kCount; ++i, name += strlen(name) + 1) {
    void* const found = muster_find_in_c_library(name);
    if (found == NULL) g_missing = 1;
    __atomic_store_n(&g_functions[i], found != NULL ? found : (void*)missing, __ATOMIC_RELAXED);
  }
  if (__register_atfork == NULL) g_missing = 1;
  g_bound = 1;
}

int muster_c_library_is_complete(void) {
  if (!g_bound) bind_all();
  return !g_missing;
}
