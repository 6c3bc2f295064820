// The descriptors belong to the program: open() returns the lowest free one, in a region as anywhere. All can be used
// up. A program that closes all of them may reuse the numbers. No other program inherits one.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static double now(void) { return omp_get_wtime(); }

enum { kLeastRounds = 40 };  // however slow the machine is

// At any time some thread waits, at a barrier or at the end of a single construct.
static void close_and_open(double seconds) {
  int stop = 0, rounds = 0;
  const double end = now() + seconds;
#pragma omp parallel
  while (stop == 0) {
#pragma omp barrier
#pragma omp single
    {
      for (int i = 0; i < 500; ++i) {
        close(0);
        expect(open("/dev/null", O_RDONLY) == 0);
      }
      if (++rounds >= kLeastRounds && now() > end) stop = 1;
    }
  }
}

static int used_up(void) {
  int count = 0, highest = -1, opened;
  while ((opened = dup(0)) >= 0) {
    ++count;
    highest = opened;
  }
  for (int i = highest; i > 2; --i) close(i);
  return count;
}

// What a new program is given.
static void look(char* self) {
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("MUSTER_REPORT");
    execl(self, self, "look", (char*)NULL);
    _exit(2);
  }
  int status = 1;
  expect(waitpid(child, &status, 0) == child && status == 0);
}

static int highest_of_all(void) {
  int highest = 0;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == NULL) return 2;
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    const int number = atoi(entry->d_name);
    if (number > highest && number != dirfd(folder)) highest = number;
  }
  closedir(folder);
  return highest;
}

int main(int count, char** arguments) {
  if (count == 2) return highest_of_all() <= 2 ? 0 : 1;
  struct rlimit limit = {256, 0};
  struct rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  limit.rlim_max = before.rlim_max;
  expect(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  close_and_open(0.5);
  printf("%d descriptors\n", used_up());
  getrlimit(RLIMIT_NOFILE, &before);
  expect(before.rlim_cur == limit.rlim_cur);
  look(arguments[0]);
  // Every number is another file now, at its beginning.
  char path[] = "/tmp/descriptors-XXXXXX";
  const int file = mkstemp(path);
  expect(file == 3 && unlink(path) == 0 && write(file, "1 2 3 4/5 6\n", 12) == 12);
  lseek(file, 0, SEEK_SET);
  limit.rlim_cur = 300;
  expect(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  for (int i = 4; i < 300; ++i) expect(dup2(file, i) == i);
  close_and_open(0.3);
  struct stat its;
  expect(fstat(file, &its) == 0);
  for (int i = 4; i < 300; ++i) {
    struct stat found;
    expect(fstat(i, &found) == 0 && found.st_ino == its.st_ino);
  }
  expect(lseek(file, 0, SEEK_CUR) == 0);
  for (int i = 3; i < 300; ++i) close(i);  // the report needs one
  return verdict("descriptors", 1);
}
