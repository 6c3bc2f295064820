// callers HOW FILE...: opens objects made of jumping.c, calls their functions from HOW, and prints what is wrong.
//
//   program    this program, which has no OpenMP
//   memory     code made at run time, in no object: see CODE
//   pointers   the same, by pointers to the runtime's functions that dlsym returned; of one object
//
// SIZES_AT_LOAD: a digit for each object, the size of its teams when it is loaded. REPETITIONS: of everything.
//
// As a shared object: check_all() with a `call` of its caller's, such as libffi's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef long Function(long);
typedef long Call(Function*, long);

enum { kMost = 64, kMostObjects = 4, kRounds = 10, kFirst = 3 };

typedef struct {
  Function *run, *run_other, *barrier, *take, *set, *most, *number, *team, *level;
} Object;

static Call* g_call;
static const Object* g_now;
static volatile long g_cell[kMost];
static volatile int g_failures;
static int g_wrong;
static int g_by_pointers;

static int ask(Function* function) { return (int)g_call(function, 0); }

static void expect(const char* what, long found, long right) {
  if (found != right && g_wrong++ < 10) printf("%s: %ld, not %ld\n", what, found, right);
}

// In a region of the object's, where this program asks and waits by the object's functions.
static void in_region(void) {
  const int me = ask(g_now->number);
  const int n = ask(g_now->team);
  if (me < 0 || me >= n || ask(g_now->level) != 1) {
    __sync_fetch_and_add(&g_failures, 1);
    return;
  }
  for (long round = 1; round <= kRounds; ++round) {
    g_cell[me] = round;
    g_call(g_now->barrier, 0);
    for (int i = 0; i < n; ++i) {
      if (g_cell[i] != round) __sync_fetch_and_add(&g_failures, 1);
    }
    g_call(g_now->barrier, 0);
  }
}

static void check(const Object* object, int size) {
  g_now = object;
  g_failures = 0;
  const char* const repetitions = getenv("REPETITIONS");
  for (int i = repetitions != NULL ? atoi(repetitions) : 20; i > 0; --i) {
    expect("largest team", ask(object->most), size);
    expect("team outside of regions", ask(object->team), 1);
    expect("level outside of regions", ask(object->level), 0);
    g_call(object->run, 0);
    expect("members", object->take(0), size);
    expect("levels", object->take(1), size);
    expect("missed", object->take(2), 0);
    g_call(object->run_other, (long)in_region);
    expect("in another object's code", g_failures, 0);
  }
}

// The first call of an object in a region of another one, whose last action it is. With one member: several that make
// the first call at once may come just after another one has set the words.
static void check_within(const Object* outer, const Object* inner, int outer_size, int size) {
  g_call(outer->set, 1);
  g_call(outer->run_other, (long)inner->run);
  expect("members within", inner->take(0), size);
  expect("levels within", inner->take(1), size);
  expect("missed within", inner->take(2), 0);
  g_call(outer->set, outer_size);
}

static Function* function_of(void* handle, const char* prefix, const char* name) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", prefix, name);
  void* found = dlsym(handle, text);
  if (found == NULL) exit(2);
  return (Function*)found;
}

static Object opened(const char* file, int is_lazy) {
  const int mode = (is_lazy ? RTLD_LAZY : RTLD_NOW) | (g_by_pointers ? RTLD_GLOBAL : RTLD_LOCAL);
  void* handle = dlopen(file, mode);
  if (handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  void* runtime = g_by_pointers ? RTLD_DEFAULT : handle;
  const char* prefix = g_by_pointers ? "omp_" : "";
  return (Object){function_of(handle, "", "run"),
                  function_of(handle, "", "run_other"),
                  function_of(handle, "", "barrier"),
                  function_of(handle, "", "take"),
                  function_of(runtime, prefix, "set_num_threads"),
                  function_of(runtime, prefix, "get_max_threads"),
                  function_of(runtime, prefix, "get_thread_num"),
                  function_of(runtime, prefix, "get_num_threads"),
                  function_of(runtime, prefix, "get_level")};
}

// Returns how much was wrong. The objects' constructors may have set other sizes than the environment.
__attribute__((visibility("default"))) int check_all(Call* call, int count, char** files,
                                                     const int* sizes) {
  Object object[kMostObjects];
  g_call = call;
  for (int i = 0; i < count; ++i) object[i] = opened(files[i], i % 2);
  if (count == 2) check_within(&object[0], &object[1], sizes[0], sizes[1]);
  for (int i = 0; i < count; ++i) check(&object[i], sizes[i]);
  for (int i = 0; i < count; ++i) {
    g_call(object[i].set, 2 + i);
    for (int k = 0; k < count; ++k)
      expect("size set", ask(object[k].most), k <= i ? 2 + k : sizes[k]);
  }
  for (int i = count; i-- > 0;) check(&object[i], 2 + i);
  printf("wrong: %d\n", g_wrong);
  fflush(stdout);
  return g_wrong;
}

static long call_directly(Function* function, long argument) {
  const long result = function(argument);
  __asm__ volatile("" ::: "memory");  // no jump
  return result;
}

// CODE, hexadecimal, as a function that calls its first argument with its second one.
static Call* code_in_memory(void) {
  unsigned char* page =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t size = 0;
  unsigned byte = 0;
  for (const char* text = getenv("CODE"); sscanf(text, "%2x", &byte) == 1; text += 2)
    page[size++] = (unsigned char)byte;
  __builtin___clear_cache((char*)page, (char*)page + size);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  return (Call*)page;
}

int main(int count, char** arguments) {
  const int objects = count - 2 < kMostObjects ? count - 2 : kMostObjects;
  int sizes[kMostObjects];
  const char* const at_load = getenv("SIZES_AT_LOAD");
  for (int i = 0; i < objects; ++i) sizes[i] = at_load != NULL ? at_load[i] - '0' : kFirst;
  g_by_pointers = strcmp(arguments[1], "pointers") == 0;
  Call* const call = strcmp(arguments[1], "program") == 0 ? call_directly : code_in_memory();
  return check_all(call, objects, arguments + 2, sizes) != 0;
}
