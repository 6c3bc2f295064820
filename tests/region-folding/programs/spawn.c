// Other programs started from the serial part, by all ways there are; vfork()'s child shares the
// fold's memory and must leave it alone.
// muster-test: folded >= 30
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trap.h"

extern char** environ;

static int reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

int main(void) {
  char* words[] = {"sh", "-c", "exit 3", NULL};
  settle();
  for (int round = 0; round < 3; ++round) {
    pid_t child = vfork();
    if (child == 0) {
      execv("/bin/sh", words);
      _exit(99);
    }
    printf("vfork: %d; %ld\n", reap(child), regions(5));
    if ((child = vfork()) == 0) _exit(4);
    printf("vfork, no exec: %d; %ld\n", reap(child), regions(5));
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0) return 1;
    printf("posix_spawn: %d; %ld\n", reap(child), regions(5));
    printf("system: %d; ", WEXITSTATUS(system("exit 6")));
    printf("%ld\n", regions(5));
    FILE* pipe = popen("echo words", "r");
    char line[20] = "";
    if (pipe == NULL || fgets(line, sizeof(line), pipe) == NULL) return 1;
    long during = regions(5);
    printf("popen: %.5s, %d; %ld %ld\n", line, pclose(pipe), during, regions(5));
    if ((child = fork()) == 0) {
      execv("/bin/sh", words);
      _exit(99);
    }
    printf("fork, exec: %d; %ld\n", reap(child), regions(5));
  }
  return finish();
}
