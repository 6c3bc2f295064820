// EARLY_KEYS=n, constructs: n thread-specific keys are taken before any constructor has run.
#include <stdlib.h>
#include <string.h>

#include "constructs.c"

// By the C library's other name for it, which Muster does not stand in for.
int __pthread_key_create(pthread_key_t* key, void (*destructor)(void*));

static void take_keys(int count, char** arguments, char** environment) {
  (void)count, (void)arguments;
  int keys = 0;
  for (; *environment != NULL; ++environment) {  // getenv does not work yet
    if (strncmp(*environment, "EARLY_KEYS=", 11) == 0) keys = atoi(*environment + 11);
  }
  for (pthread_key_t key; keys > 0; --keys) __pthread_key_create(&key, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*g_take_keys)(int, char**,
                                                                            char**) = take_keys;
