// A libpapi that behaves as FAKE_PAPI specifies, counts its reads, and checks its callers: a thread that uses the event
// set of another thread, or one that is not running, ends the process with a message.
//
//   version=X.Y    its version (7.0); mute: not available before it is started
//   fits=N         events of a set that is not multiplexed (all)
//   forbidden      PAPI_EPERM for every event
//   disabled       its one component is
//   no-threads     refuses PAPI_thread_init
//   fails          refuses to start
//   breaks=N       cannot be read any more after a thread has read it N times
//   later          starts event sets in the first thread only
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSets = 1000, kNames = 10 };

typedef struct {
  int used, multiplexed, runs, count;
  pthread_t owner;
} Set;

static Set sets[kSets];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int registered, unregistered, created, destroyed, starts;
static pthread_t first;
static __thread int is_registered;
static __thread long long reads;

static const char* option(const char* name) {
  const char* all = getenv("FAKE_PAPI");
  const char* at = all != NULL ? strstr(all, name) : NULL;
  return at != NULL ? at + strlen(name) : NULL;
}

static void wrong(const char* what) {
  dprintf(2, "fake PAPI: %s\n", what);
  _exit(99);
}

static int version(void) {
  int major = 7, minor = 0;
  const char* text = option("version=");
  if (text != NULL) sscanf(text, "%d.%d", &major, &minor);
  return major << 24 | minor << 16;
}

static void* nothing(void* unused) { return unused; }

static Set* own(int index) {
  if (index < 0 || index >= kSets || !sets[index].used) wrong("no such set");
  if (!pthread_equal(sets[index].owner, pthread_self())) wrong("another thread's set");
  return &sets[index];
}

int PAPI_get_opt(int which, void* value) {
  (void)value;
  return which == 21 && option("mute") == NULL ? version() : -16;
}

int PAPI_library_init(int asked) {
  // As real components do: threads, yields.
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
  sched_yield();
  first = pthread_self();
  if (option("fails") != NULL) return -2;
  return option("mute") != NULL || asked == version() ? version() : -1;
}

const char* PAPI_strerror(int error) {
  switch (error) {
    case -2:
      return "Insufficient memory";
    case -7:
      return "Event does not exist";
    case -8:
      return "Event exists, but cannot be counted due to counter resource limitations";
    case -15:
      return "Permission level does not permit operation";
    case -25:
      return "Component containing event is disabled";
    default:
      return NULL;
  }
}

int PAPI_num_components(void) { return 1; }

const void* PAPI_get_component_info(int index) {
  static char info[2048] = "fake";
  if (option("disabled") != NULL) strcpy(info + 512, "perf_event support disabled, paranoid=3");
  return index == 0 ? info : NULL;
}

int PAPI_thread_init(unsigned long (*id)(void)) {
  return option("no-threads") != NULL || id() == 0 ? -2 : 0;
}

int PAPI_register_thread(void) {
  if (is_registered) wrong("registered twice");
  is_registered = 1;
  __atomic_add_fetch(&registered, 1, __ATOMIC_RELAXED);
  return 0;
}

int PAPI_unregister_thread(void) {
  if (!is_registered) wrong("not registered");
  is_registered = 0;
  __atomic_add_fetch(&unregistered, 1, __ATOMIC_RELAXED);
  return 0;
}

int PAPI_event_name_to_code(const char* name, int* code) {
  if (strlen(name) != 2 || name[0] != 'F' || name[1] < '0' || name[1] > '9') return -7;
  *code = 0x40000000 + name[1] - '0';
  return 0;
}

int PAPI_get_event_component(int code) { return code >= 0x40000000 ? 0 : -7; }

int PAPI_create_eventset(int* index) {
  int result = -2;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < kSets && result != 0; ++i) {
    if (sets[i].used) continue;
    sets[i] = (Set){.used = 1, .owner = pthread_self()};
    *index = i;
    ++created;
    result = 0;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int PAPI_assign_eventset_component(int index, int component) {
  return own(index) && component == 0 ? 0 : -1;
}
int PAPI_multiplex_init(void) { return 0; }

int PAPI_set_multiplex(int index) {
  own(index)->multiplexed = 1;
  return 0;
}

int PAPI_add_event(int index, int code) {
  Set* set = own(index);
  if (code < 0x40000000) wrong("no such code");
  if (option("forbidden") != NULL) return -15;
  if (option("disabled") != NULL) return -25;
  const char* fits = option("fits=");
  if (fits != NULL && !set->multiplexed && set->count >= atoi(fits)) return -8;
  ++set->count;
  return 0;
}

int PAPI_start(int index) {
  Set* set = own(index);
  if (set->runs) wrong("started twice");
  if (option("later") != NULL && !pthread_equal(first, pthread_self())) return -15;
  set->runs = 1;
  __atomic_add_fetch(&starts, 1, __ATOMIC_RELAXED);
  return 0;
}

int PAPI_read(int index, long long* values) {
  Set* set = own(index);
  if (!set->runs) wrong("read, and does not run");
  free(malloc(100));
  ++reads;
  const char* breaks = option("breaks=");
  if (breaks != NULL && reads > atoi(breaks)) return -3;
  for (int i = 0; i < set->count; ++i) values[i] = reads * (i + 1);
  return 0;
}

int PAPI_stop(int index, long long* values) {
  Set* set = own(index);
  if (!set->runs) return -9;
  set->runs = 0;
  for (int i = 0; i < set->count; ++i) values[i] = 0;
  return 0;
}

int PAPI_cleanup_eventset(int index) {
  if (own(index)->runs) wrong("runs, and is cleaned up");
  return 0;
}

int PAPI_destroy_eventset(int* index) {
  own(*index)->used = 0;
  __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
  *index = -1;
  return 0;
}

__attribute__((destructor)) static void tell(void) {
  const char* path = getenv("FAKE_PAPI_LOG");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file,
          "{\"registered\": %d, \"unregistered\": %d, \"created\": %d, \"destroyed\": %d, "
          "\"starts\": %d}\n",
          registered, unregistered, created, destroyed, starts);
  fclose(file);
}
