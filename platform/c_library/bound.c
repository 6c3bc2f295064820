// As system_calls.c, for what is no system call, or costs less than one: each function is looked up once in the C library
// itself, before main, not in the order in which the loader lists the objects.
#define _GNU_SOURCE
#include "platform/c_library/bound.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <time.h>

// X(result, name, parameters, arguments)
#define FUNCTIONS(X)                                                                               \
  X(int, clock_gettime, (clockid_t clock, struct timespec * out), (clock, out))                    \
  X(int, sched_getcpu, (void), ())                                                                 \
  X(unsigned long, getauxval, (unsigned long type), (type))                                        \
  X(int, vdprintf, (int file, const char* format, va_list words), (file, format, words))           \
  X(int, dl_iterate_phdr, (int (*visit)(struct dl_phdr_info*, size_t, void*), void* data),         \
    (visit, data))                                                                                 \
  X(int, dladdr1, (const void* address, Dl_info* out, void** extra, int flags),                    \
    (address, out, extra, flags))                                                                  \
  X(void*, dlvsym, (void* handle, const char* name, const char* version), (handle, name, version)) \
  X(int, pthread_once, (pthread_once_t * once, void (*function)(void)), (once, function))          \
  X(int, pthread_setcancelstate, (int state, int* old), (state, old))                              \
  X(int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name))                 \
  X(int, pthread_attr_setdetachstate, (pthread_attr_t * attributes, int state),                    \
    (attributes, state))                                                                           \
  X(int, pthread_attr_setaffinity_np,                                                              \
    (pthread_attr_t * attributes, size_t size, const cpu_set_t* cpus), (attributes, size, cpus))

// Before glibc 2.34, libc.so was not all of the C library.
static void* find(const char* name) {
  static const char* const kLibraries[] = {LIBC_SO, LIBPTHREAD_SO, LIBDL_SO};
  static void* handles[3];
  for (int i = 0; i < 3; ++i) {
    if (handles[i] == NULL) handles[i] = dlopen(kLibraries[i], RTLD_LAZY | RTLD_NOLOAD);
    void* function = handles[i] != NULL ? dlsym(handles[i], name) : NULL;
    if (function != NULL) return function;
    dlerror();  // clears the error: the program's next dlerror() is about its own calls
  }
  return NULL;
}

static int g_missing;
static long missing(void) { return 0; }

// A constructor that comes before this object's may call Muster, hence a first call that looks the function up.
#define DEFINE_AS(result, name, of_library, parameters, arguments)           \
  static result first_##name parameters;                                     \
  static result(*bound_##name) parameters = first_##name;                    \
  static void bind_##name(void) {                                            \
    void* found = find(of_library);                                          \
    if (found == NULL) g_missing = 1;                                        \
    const __typeof__(bound_##name) function =                                \
        (__typeof__(bound_##name))(found != NULL ? found : (void*)&missing); \
    __atomic_store_n(&bound_##name, function, __ATOMIC_RELAXED);             \
  }                                                                          \
  static result first_##name parameters {                                    \
    bind_##name();                                                           \
    return bound_##name arguments;                                           \
  }                                                                          \
  result name parameters { return __atomic_load_n(&bound_##name, __ATOMIC_RELAXED) arguments; }
#define DEFINE(result, name, parameters, arguments) \
  DEFINE_AS(result, name, #name, parameters, arguments)
FUNCTIONS(DEFINE)
DEFINE_AS(int, muster_sigaction, "sigaction",
          (int number, const struct sigaction* action, struct sigaction* old),
          (number, action, old))

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

static int g_bound;

static void bind_all(void) {
  if (g_bound) return;
#define BIND(result, name, parameters, arguments) bind_##name();
  FUNCTIONS(BIND)
  bind_muster_sigaction();
  if (__register_atfork == NULL) g_missing = 1;
  g_bound = 1;
}

int muster_c_library_is_complete(void) {
  bind_all();
  return !g_missing;
}

// Before Muster's other constructors, while no other thread can hold the loader's lock.
__attribute__((constructor(101))) static void at_start(void) { bind_all(); }
