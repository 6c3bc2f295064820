// Preloaded before Muster: ends the process where Muster's own code asks the loader for anything, or allocates, in
// another thread than the initial one. A thread that holds the loader's or the allocator's lock may be waiting for it.
// By tail calls: dlsym and dlopen look at their caller.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ElfW(Addr) begin, end;

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

static void check(const char* call, const char* what, const void* caller) {
  if ((ElfW(Addr))caller < begin || (ElfW(Addr))caller >= end || gettid() == getpid()) return;
  dprintf(STDERR_FILENO, "%s(%s) by Muster, at %#lx of it\n", call, what,
          (long)((ElfW(Addr))caller - begin));
  abort();
}

#define CHECK(call, what) check(call, what, __builtin_return_address(0))
#define NEXT(name) ((__typeof__(&name))next(#name))
#define TAIL_CALL __attribute__((musttail)) return

// By the first version that the processor's C library has had.
static void* next(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
  return found != NULL ? found : dlvsym(RTLD_NEXT, name, "GLIBC_2.17");
}

static void* (*real_dlsym)(void*, const char*);
static void* (*real_dlopen)(const char*, int);
static int (*real_dladdr)(const void*, Dl_info*);

__attribute__((constructor)) static void at_start(void) {
  real_dlsym = NEXT(dlsym);
  real_dlopen = NEXT(dlopen);
  real_dladdr = NEXT(dladdr);
  dl_iterate_phdr(find_muster, NULL);
}

void* dlsym(void* handle, const char* name) {
  CHECK("dlsym", name);
  if (real_dlsym == NULL) at_start();
  TAIL_CALL real_dlsym(handle, name);
}

void* dlopen(const char* file, int mode) {
  CHECK("dlopen", file);
  if (real_dlopen == NULL) at_start();
  TAIL_CALL real_dlopen(file, mode);
}

int dladdr(const void* address, Dl_info* info) {
  CHECK("dladdr", "");
  if (real_dladdr == NULL) at_start();
  TAIL_CALL real_dladdr(address, info);
}

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* malloc(size_t size) {
  CHECK("malloc", "");
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  CHECK("calloc", "");
  return __libc_calloc(count, size);
}
