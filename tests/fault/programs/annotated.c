// What Archer, LLVM's tool for ThreadSanitizer, looks for in the process: with it, Archer observes, and its calls are
// counted. No ThreadSanitizer is needed.
#include <stdio.h>

static unsigned long before, after;

static void add(unsigned long* count) { __atomic_fetch_add(count, 1, __ATOMIC_RELAXED); }

int RunningOnValgrind(void) { return 0; }
void AnnotateHappensBefore(const char* file, int line, const volatile void* address) {
  (void)file, (void)line, (void)address;
  add(&before);
}
void AnnotateHappensAfter(const char* file, int line, const volatile void* address) {
  (void)file, (void)line, (void)address;
  add(&after);
}
void AnnotateIgnoreWritesBegin(const char* file, int line) { (void)file, (void)line; }
void AnnotateIgnoreWritesEnd(const char* file, int line) { (void)file, (void)line; }
void AnnotateNewMemory(const char* file, int line, const volatile void* address,
                       unsigned long bytes) {
  (void)file, (void)line, (void)address, (void)bytes;
}
void __tsan_func_entry(const void* caller) { (void)caller; }
void __tsan_func_exit(void) {}

__attribute__((destructor)) static void report(void) {
  printf("before %lu, after %lu\n", before, after);
}
