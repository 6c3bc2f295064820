// What the kernels in C and C++ share: their two arguments, the clock, a checksum, the verdict.
//
//     NAME [SIZE [REPETITIONS]]
//
// One line goes to stdout, the same whatever the threads do and however many there are. The seconds,
// without setting up and verifying, go to stderr.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline long number_of(int count, char** words, int index, long otherwise, long least,
                             long most) {
  if (count <= index) return otherwise;
  char* end = NULL;
  long value = strtol(words[index], &end, 10);
  if (end == words[index] || *end != '\0' || value < least || value > most) {
    fprintf(stderr, "%s: no number from %ld to %ld: %s\n", words[0], least, most, words[index]);
    exit(2);
  }
  return value;
}

static inline long size_of(int count, char** words, long otherwise, long least, long most) {
  return number_of(count, words, 1, otherwise, least, most);
}

static inline long repetitions_of(int count, char** words, long otherwise) {
  return number_of(count, words, 2, otherwise, 1, 1000000);
}

static inline double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Depends on the order of the values. A kernel calls it after its last region, or in serial parts.
static inline uint64_t mixed(uint64_t sum, int64_t value) {
  sum = (sum ^ (uint64_t)value) * 0x9e3779b97f4a7c15u;
  return sum ^ (sum >> 32);
}

// Pseudo-random, and the same for the same argument: loops may ask for values in any order.
static inline uint64_t scrambled(uint64_t value) {
  return mixed(mixed(value + 1, 0x2545f491), (int64_t)(value >> 7));
}

// The program's status.
static inline int conclude(const char* name, int good, uint64_t checksum, double seconds) {
  printf("%s: checksum %016llx, %s\n", name, (unsigned long long)checksum,
         good ? "verified" : "WRONG");
  fprintf(stderr, "%s: %.6f s\n", name, seconds);
  return good ? 0 : 1;
}
