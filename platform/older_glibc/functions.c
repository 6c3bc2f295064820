// What libmuster.so and the command call, by the symbol versions of glibc 2.28, for files that are built on a newer glibc
// and run on an older one (cmake/portable.cmake). glibc 2.34 moved libdl and libpthread into libc and gave their functions
// new versions; 2.33 made stat() a function. The linker's --wrap redirects every call, those from static archives too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define OLD(version, type, name, parameters, arguments)                \
  __asm__(".symver old_" #name "," #name "@GLIBC_" version);           \
  extern type old_##name parameters;                                   \
  __attribute__((visibility("hidden"))) type __wrap_##name parameters; \
  type __wrap_##name parameters { return old_##name arguments; }

OLD("2.2.5", void*, dlopen, (const char* file, int mode), (file, mode))
OLD("2.2.5", void*, dlsym, (void* handle, const char* name), (handle, name))
OLD("2.2.5", void*, dlvsym, (void* handle, const char* name, const char* version),
    (handle, name, version))
OLD("2.2.5", int, dlclose, (void* handle), (handle))
OLD("2.2.5", char*, dlerror, (void), ())
OLD("2.3.3", int, dladdr1, (const void* address, Dl_info* info, void** extra, int flags),
    (address, info, extra, flags))
OLD("2.2.5", int, dladdr, (const void* address, Dl_info* info), (address, info))

OLD("2.2.5", int, pthread_create,
    (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument),
    (thread, attributes, start, argument))
OLD("2.2.5", int, pthread_join, (pthread_t thread, void** result), (thread, result))
OLD("2.2.5", int, pthread_detach, (pthread_t thread), (thread))
OLD("2.2.5", int, pthread_once, (pthread_once_t * control, void (*function)(void)),
    (control, function))
OLD("2.2.5", int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void*)), (key, destroy))
OLD("2.2.5", int, pthread_key_delete, (pthread_key_t key), (key))
OLD("2.2.5", int, pthread_setspecific, (pthread_key_t key, const void* value), (key, value))
OLD("2.2.5", void*, pthread_getspecific, (pthread_key_t key), (key))
OLD("2.2.5", int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old), (how, set, old))
OLD("2.2.5", int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size),
    (attributes, size))
OLD("2.3.4", int, pthread_attr_setaffinity_np,
    (pthread_attr_t * attributes, size_t size, const cpu_set_t* cpus), (attributes, size, cpus))
OLD("2.12", int, pthread_setname_np, (pthread_t thread, const char* name), (thread, name))

#define STAT(name, old, type, object_type)                                                   \
  __asm__(".symver old_" #name "," #old "@GLIBC_2.2.5");                                     \
  extern int old_##name(int version, object_type object, type* result);                      \
  __attribute__((visibility("hidden"))) int __wrap_##name(object_type object, type* result); \
  int __wrap_##name(object_type object, type* result) { return old_##name(1, object, result); }

STAT(stat, __xstat, struct stat, const char*)
STAT(lstat, __lxstat, struct stat, const char*)
STAT(fstat, __fxstat, struct stat, int)
STAT(stat64, __xstat64, struct stat64, const char*)
STAT(lstat64, __lxstat64, struct stat64, const char*)
STAT(fstat64, __fxstat64, struct stat64, int)

__asm__(".symver old_key_create,__pthread_key_create@GLIBC_2.2.5");
extern int old_key_create(pthread_key_t* key, void (*destroy)(void*));
__attribute__((visibility("hidden"))) int __wrap___pthread_key_create(pthread_key_t* key,
                                                                      void (*destroy)(void*));
int __wrap___pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  return old_key_create(key, destroy);
}

// False is always right: the C++ library then counts references by atomic instructions.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// Of the compiler's unwinder, which like the above is in libmuster.so only without optimization. It wants no more than
// the address of the unwind table.
struct Search {
  uintptr_t address;
  struct dl_find_object* found;
};
static int look_into(struct dl_phdr_info* object, size_t size, void* argument) {
  (void)size;
  struct Search* search = argument;
  int contains = 0;
  void* table = NULL;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && search->address - start < part->p_memsz) contains = 1;
    if (part->p_type == PT_GNU_EH_FRAME) table = (void*)start;
  }
  if (!contains || table == NULL) return contains;
  search->found->dlfo_eh_frame = table;
  return 2;
}
__attribute__((visibility("hidden"))) int __wrap__dl_find_object(void* address,
                                                                 struct dl_find_object* result);
int __wrap__dl_find_object(void* address, struct dl_find_object* result) {
  struct Search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look_into, &search) == 2 ? 0 : -1;
}
