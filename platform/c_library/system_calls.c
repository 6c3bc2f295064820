// What Muster calls of the C library and a program may define itself, as one system call each. For libmuster.so only, in
// which these names are local: a call by name would reach a program's own `mmap` or `link`, which is right in ISO C.
// Not cancellation points, as nothing is that Muster does. bound.c has what is no system call. What the OpenMP runtimes
// do not make is optional (platform/optional_calls.h).
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

long optional_call(long number, ...);

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  return (void*)syscall(SYS_mmap, address, size, (long)protection, (long)flags, (long)file, offset);
}
int munmap(void* address, size_t size) { return (int)syscall(SYS_munmap, address, size); }
int mprotect(void* address, size_t size, int protection) {
  return (int)syscall(SYS_mprotect, address, size, (long)protection);
}

// Variadic for their callers. Their arguments are in the same registers as here, on each processor.
int open_file(const char* path, int flags, mode_t mode) __asm__("open");
int open_file(const char* path, int flags, mode_t mode) {
  return (int)optional_call(SYS_openat, AT_FDCWD, path, flags, mode);
}
int control_file(int file, int command, long argument) __asm__("fcntl");
int control_file(int file, int command, long argument) {
  return (int)optional_call(SYS_fcntl, file, command, argument);
}
int close(int file) { return (int)optional_call(SYS_close, file); }
ssize_t read(int file, void* bytes, size_t size) {
  return optional_call(SYS_read, file, bytes, size);
}
ssize_t write(int file, const void* bytes, size_t size) {
  return optional_call(SYS_write, file, bytes, size);
}
int fstat(int file, struct stat* out) { return (int)optional_call(SYS_fstat, file, out); }
int stat(const char* path, struct stat* out) {
  return (int)optional_call(SYS_newfstatat, AT_FDCWD, path, out, 0);
}
int lstat(const char* path, struct stat* out) {
  return (int)optional_call(SYS_newfstatat, AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
int link(const char* from, const char* to) {
  return (int)optional_call(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char* path) { return (int)optional_call(SYS_unlinkat, AT_FDCWD, path, 0); }
ssize_t readlink(const char* path, char* out, size_t size) {
  return optional_call(SYS_readlinkat, AT_FDCWD, path, out, size);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return (int)optional_call(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

pid_t getpid(void) { return (pid_t)syscall(SYS_getpid); }
uid_t getuid(void) { return (uid_t)optional_call(SYS_getuid); }
uid_t geteuid(void) { return (uid_t)optional_call(SYS_geteuid); }
gid_t getgid(void) { return (gid_t)optional_call(SYS_getgid); }
gid_t getegid(void) { return (gid_t)optional_call(SYS_getegid); }
int getrlimit(__rlimit_resource_t resource, struct rlimit* out) {
  return (int)optional_call(SYS_prlimit64, 0, resource, NULL, out);
}
int gethostname(char* out, size_t size) {
  struct utsname name;
  if (optional_call(SYS_uname, &name) != 0) return -1;
  snprintf(out, size, "%s", name.nodename);
  return 0;
}

int shmget(key_t key, size_t size, int flags) {
  return (int)optional_call(SYS_shmget, key, size, flags);
}
void* shmat(int id, const void* address, int flags) {
  return (void*)optional_call(SYS_shmat, id, address, flags);
}
int shmdt(const void* address) { return (int)optional_call(SYS_shmdt, address); }
int shmctl(int id, int command, struct shmid_ds* out) {
  return (int)optional_call(SYS_shmctl, id, command, out);
}

// The first word is all that the kernel has. As in the C library, nobody blocks the two signals that it uses itself, of
// which one cancels threads.
int sigemptyset(sigset_t* set) {
  memset(set, 0, sizeof(*set));
  return 0;
}
int sigfillset(sigset_t* set) {
  memset(set, 0xff, sizeof(*set));
  set->__val[0] &= ~(3UL << 31);
  return 0;
}
int sigaddset(sigset_t* set, int number) {
  set->__val[0] |= 1UL << (number - 1);
  return 0;
}
int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  return syscall(SYS_rt_sigprocmask, how, set, old, sizeof(set->__val[0])) == 0 ? 0 : errno;
}
