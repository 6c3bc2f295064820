// As functions.c, for what only the command and the C++ library inside it call.
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Since glibc 2.29 it sets no errno by way of a wrapper; nothing else changed.
__asm__(".symver old_pow,pow@GLIBC_2.2.5");
extern double old_pow(double base, double exponent);
HIDDEN double __wrap_pow(double base, double exponent);
double __wrap_pow(double base, double exponent) { return old_pow(base, exponent); }

// Of the C++ library's std::random_device.
HIDDEN uint32_t __wrap_arc4random(void);
uint32_t __wrap_arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}

HIDDEN const char* __wrap_sigabbrev_np(int number);
const char* __wrap_sigabbrev_np(int number) {
  static const char* const names[] = {
      [SIGHUP] = "HUP",       [SIGINT] = "INT",   [SIGQUIT] = "QUIT",   [SIGILL] = "ILL",
      [SIGTRAP] = "TRAP",     [SIGABRT] = "ABRT", [SIGBUS] = "BUS",     [SIGFPE] = "FPE",
      [SIGKILL] = "KILL",     [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV",   [SIGUSR2] = "USR2",
      [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM", [SIGTERM] = "TERM",   [SIGCHLD] = "CHLD",
      [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",   [SIGTTIN] = "TTIN",
      [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",   [SIGXFSZ] = "XFSZ",
      [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "POLL",
      [SIGPWR] = "PWR",       [SIGSYS] = "SYS",
  };
  const int count = sizeof names / sizeof names[0];
  return number > 0 && number < count ? names[number] : NULL;
}

// Before 2.34, a program brought the function that calls its constructors, and passed it. Later versions still call one.
typedef void Initializer(int, char**, char**);
extern Initializer* __init_array_start[] HIDDEN;
extern Initializer* __init_array_end[] HIDDEN;
extern void _init(void);
static void initialize(int count, char** arguments, char** environment) {
  _init();
  for (Initializer** each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, arguments, environment);
}

typedef int Main(int, char**, char**);
__asm__(".symver old_start_main,__libc_start_main@GLIBC_2.2.5");
extern int old_start_main(Main*, int, char**, Initializer*, void (*fini)(void),
                          void (*loader_fini)(void), void*);
HIDDEN int __wrap___libc_start_main(Main* program, int count, char** arguments, Initializer* init,
                                    void (*fini)(void), void (*loader_fini)(void), void* stack_end);
int __wrap___libc_start_main(Main* program, int count, char** arguments, Initializer* init,
                             void (*fini)(void), void (*loader_fini)(void), void* stack_end) {
  (void)init;
  (void)fini;
  return old_start_main(program, count, arguments, initialize, NULL, loader_fini, stack_end);
}
