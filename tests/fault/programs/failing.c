// Preloaded before Muster: one of the calls that Muster itself makes fails, and no other's.
// FAIL_CALL: mmap, futex (waits), clone, sched_setaffinity, sched_getaffinity, moved (the latter, directly after the
// thread has set its mask), membarrier, open, read, slice, signals (their mask), getcpu, dlopen, atfork, atexit, key.
// FAIL_NTH=n: the nth of them, counted from 1; FAIL_FROM=n: that and all later ones.
// FAIL_COUNTED: a file that gets the number of such calls, at exit.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stand_ins.h"

static const char* failing_call = "";
static long failing_nth = -1, failing_from = -1;
static long counted;
static ElfW(Addr) begin, end;
static long (*real_syscall)(long, ...);
static __thread int has_set_mask __attribute__((tls_model("initial-exec")));

static int find_muster(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  if (strstr(info->dlpi_name, "libmuster") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const ElfW(Addr) first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (begin == 0 || first < begin) begin = first;
    if (first + info->dlpi_phdr[i].p_memsz > end) end = first + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

static void begin_to_count(void) {
  static int begun;
  if (begun) return;
  begun = 1;
  if (getenv("FAIL_CALL") != NULL) failing_call = getenv("FAIL_CALL");
  if (getenv("FAIL_NTH") != NULL) failing_nth = atol(getenv("FAIL_NTH"));
  if (getenv("FAIL_FROM") != NULL) failing_from = atol(getenv("FAIL_FROM"));
  dl_iterate_phdr(find_muster, NULL);
  real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

__attribute__((constructor)) static void at_start(void) { begin_to_count(); }

static int fails(const char* call, const void* caller) {
  if ((ElfW(Addr))caller < begin || (ElfW(Addr))caller >= end) return 0;
  if (strcmp(call, failing_call) != 0) return 0;
  const long nth = __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
  return nth == failing_nth || (failing_from > 0 && nth >= failing_from);
}

#define FAILS(call) fails(call, __builtin_return_address(0))

static const char* name_of(long number, const long* words) {
  switch (number) {
    case SYS_mmap:
      return "mmap";
    case SYS_futex:
      return (words[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ? "futex" : "";
    case SYS_membarrier:
      return "membarrier";
    case SYS_openat:
      return "open";
    case SYS_read:
    case SYS_pread64:
      return "read";
    case SYS_sched_setattr:
    case SYS_sched_getattr:
      return "slice";
    case SYS_rt_sigprocmask:
      return "signals";
    case SYS_sched_setaffinity:
      return "sched_setaffinity";
    case SYS_sched_getaffinity:
      return has_set_mask && strcmp(failing_call, "moved") == 0 ? "moved" : "sched_getaffinity";
    default:
      return "";
  }
}

static int error_of(long number) {
  switch (number) {
    case SYS_mmap:
      return ENOMEM;
    case SYS_futex:
      return ENOSYS;
    case SYS_openat:
      return ENFILE;
    case SYS_read:
    case SYS_pread64:
      return EIO;
    case SYS_sched_getaffinity:
      return EINVAL;
    default:
      return EPERM;
  }
}

long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) words[i] = va_arg(list, long);
  va_end(list);
  if (FAILS(name_of(number, words))) {
    errno = error_of(number);
    return -1;
  }
  has_set_mask = number == SYS_sched_setaffinity;
  begin_to_count();
  return real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* cpus) {
  if (FAILS("sched_setaffinity")) {
    errno = EINVAL;
    return -1;
  }
  return NEXT(sched_setaffinity)(thread, size, cpus);
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* cpus) {
  if (FAILS("sched_getaffinity")) {
    errno = EINVAL;
    return -1;
  }
  return NEXT(sched_getaffinity)(thread, size, cpus);
}

int sched_getcpu(void) {
  if (FAILS("getcpu")) {
    errno = ENOSYS;
    return -1;
  }
  return NEXT(sched_getcpu)();
}

void* dlopen(const char* name, int how) {
  if (FAILS("dlopen")) return NULL;
  return NEXT(dlopen)(name, how);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  begin_to_count();
  if (FAILS("key")) return EAGAIN;
  return NEXT(pthread_key_create)(key, destructor);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* data) {
  if (FAILS("clone")) return EAGAIN;
  return NEXT(pthread_create)(thread, how, run, data);
}

int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
                      void* object);
int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
                      void* object) {
  if (FAILS("atfork")) return ENOMEM;
  return NEXT(__register_atfork)(before, parent, child, object);
}

int __cxa_atexit(void (*function)(void*), void* data, void* object);
int __cxa_atexit(void (*function)(void*), void* data, void* object) {
  if (FAILS("atexit")) return -1;
  return NEXT(__cxa_atexit)(function, data, object);
}

int __cxa_thread_atexit_impl(void (*function)(void*), void* data, void* object);
int __cxa_thread_atexit_impl(void (*function)(void*), void* data, void* object) {
  if (FAILS("atexit")) return -1;
  return NEXT(__cxa_thread_atexit_impl)(function, data, object);
}

__attribute__((destructor)) static void at_end(void) {
  const char* path = getenv("FAIL_COUNTED");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", counted);
  fclose(file);
}
