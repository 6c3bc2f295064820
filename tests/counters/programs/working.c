// Work whose page faults, context switches and so on are known, by the mode in the first argument.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4, kPages = 400, kRounds = 20 };

static void touch(int pages) {
  const size_t size = (size_t)pages * 4096;
  volatile char* memory =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise((void*)memory, size, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[(size_t)i * 4096] = 1;
  munmap((void*)memory, size);
}

static void nap(void) {
  const struct timespec time = {.tv_nsec = 1000000};
  nanosleep(&time, NULL);
}

// kPages by each thread, none of them inside a barrier.
static void faults(void) {
#pragma omp parallel num_threads(kThreads)
  for (int round = 0; round < kRounds; ++round) {
    touch(kPages / kRounds);
#pragma omp barrier
  }
}

// The others wait for the first one at every barrier.
static void late(void) {
#pragma omp parallel num_threads(kThreads)
  for (int round = 0; round < kRounds; ++round) {
    if (omp_get_thread_num() == 0) nap();
#pragma omp barrier
  }
}

// Short regions, which Muster forks and joins itself after the first few.
static void regions(void) {
  for (int round = 0; round < 10 * kRounds; ++round) {
#pragma omp parallel num_threads(kThreads)
    touch(kPages / kRounds);
  }
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp barrier
  }
}

static void* run_faults(void* unused) {
  faults();
  return unused;
}

// Root threads that end, one after the other: each with a team of its own.
static void roots(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, run_faults, NULL);
    pthread_join(thread, NULL);
  }
}

static int is_at_work;

static void* run_for_ever(void* unused) {
#pragma omp parallel num_threads(2)
  {
    touch(kPages);
#pragma omp barrier
    __atomic_store_n(&is_at_work, 1, __ATOMIC_RELEASE);
    for (;;) pause();
  }
  return unused;
}

// The process ends while another thread's team is in its region.
static void others_run(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_for_ever, NULL);
  pthread_detach(thread);
  while (!__atomic_load_n(&is_at_work, __ATOMIC_ACQUIRE)) nap();
  faults();
}

// Whether all of the process's threads but this one sleep.
static int others_sleep(void) {
  int asleep = 0, threads = 0;
  DIR* tasks = opendir("/proc/self/task");
  for (struct dirent* task; (task = readdir(tasks)) != NULL;) {
    char path[300], text[512] = {0};
    snprintf(path, sizeof(path), "/proc/self/task/%s/stat", task->d_name);
    FILE* stat = task->d_name[0] == '.' ? NULL : fopen(path, "r");
    if (stat == NULL) continue;
    ++threads;
    if (fread(text, 1, sizeof(text) - 1, stat) > 0) asleep += strrchr(text, ')')[2] == 'S';
    fclose(stat);
  }
  closedir(tasks);
  return asleep >= threads - 1;
}

static void exit_in_region(void) {
  static int arrivals;
#pragma omp parallel num_threads(kThreads)
  {
    touch(kPages);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      touch(kPages);
      fflush(stdout);
      // At the next barrier they are read.
      while (__atomic_load_n(&arrivals, __ATOMIC_ACQUIRE) < kThreads - 1 || !others_sleep()) nap();
      exit(7);
    }
    __atomic_fetch_add(&arrivals, 1, __ATOMIC_RELEASE);
#pragma omp barrier
  }
}

static void forks(void) {
  faults();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    faults();
    printf("child\n");
    exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  faults();
  printf("status %d\n", status);
}

// As programs do that become daemons; the file then has a descriptor that was Muster's or PAPI's.
static void closes_descriptors(void) {
  faults();
  for (int i = 3; i < 200; ++i) close(i);
  const char* name = "descriptors.txt";
  FILE* file = fopen(name, "w+");
  for (int i = 0; i < 1000; ++i) fprintf(file, "%d\n", i);
  rewind(file);
  int fds[50];
  for (int i = 0; i < 50; ++i) fds[i] = open(name, O_RDONLY);
  faults();
  long sum = 0;
  for (int i = 0; i < 50; ++i) {
    char text[8] = {0};
    sum += read(fds[i], text, 4);
    sum += strcmp(text, "0\n1\n") == 0;
  }
  printf("sum %ld\n", sum);
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
      touch(kPages);
#pragma omp barrier
    }
#pragma omp barrier
  }
}

static void tasks(void) {
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single
    for (int i = 0; i < kThreads * 4; ++i) {
#pragma omp task
      touch(kPages / 4);
    }
#pragma omp barrier
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {{"faults", faults},         {"late", late},
               {"regions", regions},       {"roots", roots},
               {"others-run", others_run}, {"exit-in-region", exit_in_region},
               {"forks", forks},           {"closes-descriptors", closes_descriptors},
               {"nested", nested},         {"tasks", tasks}};
  for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); ++i) {
    if (strcmp(argv[1], modes[i].name) != 0) continue;
    printf("%s\n", argv[1]);
    modes[i].run();
    printf("done\n");
    return 0;
  }
  return 2;
}
