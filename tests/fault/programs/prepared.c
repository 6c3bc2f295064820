// Prints whether the process may use membarrier, and whether its table of descriptors is long, when main begins: what
// takes tens of milliseconds once there are several threads. Then has a region in another thread, and prints the length
// of the table again.
#include <linux/membarrier.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int descriptor_table(void) {
  char line[256];
  int size = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, "FDSize:", 7) == 0) sscanf(line + 7, "%d", &size);
  }
  if (file != NULL) fclose(file);
  return size;
}

static void* region(void* unused) {
#pragma omp parallel
  {
#pragma omp barrier
  }
  return unused;
}

int main(void) {
  const long registered = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  printf("%s %s\n", registered == 0 ? "registered" : "unregistered",
         descriptor_table() >= 1024 ? "long" : "short");
  pthread_t thread;
  pthread_create(&thread, NULL, region, NULL);
  pthread_join(thread, NULL);
  printf("%s\n", descriptor_table() >= 1024 ? "long" : "short");
  return 0;
}
