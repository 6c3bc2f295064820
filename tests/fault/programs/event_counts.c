// An OMPT tool that counts events: by kind, endpoint, state of the thread and place in the program. It checks that the
// barriers' begins and ends are balanced in each thread, and that they have the region and the task that parallel_begin
// and the implicit task's begin had. Prints everything when it ends.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostRows = 4096, kRowBytes = 120 };
struct row {
  char text[kRowBytes];
  int count;
};
static struct row rows[kMostRows];
static int row_count, row_lock;
static int unbalanced, wrong_region, wrong_task, wrong_callback;
static uint64_t next_value;
static ompt_get_state_t get_state;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_callback_t get_callback;

// The outermost implicit task in which the thread is, and the sync regions that it has begun.
static __thread struct {
  uint64_t region, task;
  int begun[2][16];
} self;

static void add(int* count) { __atomic_fetch_add(count, 1, __ATOMIC_RELAXED); }

static void count(const char* text) {
  while (__atomic_exchange_n(&row_lock, 1, __ATOMIC_ACQUIRE)) continue;
  int i = 0;
  while (i < row_count && strcmp(rows[i].text, text) != 0) ++i;
  if (i < kMostRows) {
    if (i == row_count) strcpy(rows[row_count++].text, text);
    ++rows[i].count;
  }
  __atomic_store_n(&row_lock, 0, __ATOMIC_RELEASE);
}

static void note(const char* event, int kind, int endpoint, const void* code) {
  char text[kRowBytes];
  Dl_info at;
  const char* file = "nowhere";
  unsigned long offset = 0;
  if (code != NULL && dladdr(code, &at) != 0) {
    file = strrchr(at.dli_fname, '/') != NULL ? strrchr(at.dli_fname, '/') + 1 : at.dli_fname;
    offset = (unsigned long)((const char*)code - (const char*)at.dli_fbase);
  }
  snprintf(text, sizeof text, "%s %d %s state %#x from %s+%#lx", event, kind,
           endpoint == ompt_scope_begin ? "begin" : "end", (unsigned)get_state(NULL), file, offset);
  count(text);
}

static void check(ompt_data_t* region, ompt_data_t* task) {
  int flags, size;
  ompt_data_t *its_task = NULL, *its_region = NULL;
  ompt_frame_t* frame = NULL;
  get_task_info(0, &flags, &its_task, &frame, NULL, NULL);
  get_parallel_info(0, &its_region, &size);
  if ((flags & ompt_task_implicit) == 0) return;
  // The values are known of outermost regions, which are in the initial one.
  ompt_data_t* around = NULL;
  const int is_outermost = get_parallel_info(2, &around, NULL) == 0;
  if (region != its_region || (is_outermost && region->value != self.region)) add(&wrong_region);
  if (task != its_task || (is_outermost && task->value != self.task)) add(&wrong_task);
}

// A worker's end of a region has no region. It comes whenever that thread finds it, perhaps after the tool's end.
static void sync(int waits, int kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                 ompt_data_t* task, const void* code) {
  if (region == NULL) return;
  note(waits ? "sync_region_wait" : "sync_region", kind, endpoint, code);
  if (kind == ompt_sync_region_taskwait || kind == ompt_sync_region_taskgroup) return;
  check(region, task);
  if (kind == ompt_sync_region_barrier_implicit_parallel ||
      kind == ompt_sync_region_barrier_implicit)
    return;
  int* begun = &self.begun[waits][kind % 16];
  *begun += endpoint == ompt_scope_begin ? 1 : -1;
  if (*begun < 0 || *begun > 1) add(&unbalanced);
}
static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                        ompt_data_t* region, ompt_data_t* task, const void* code) {
  sync(0, (int)kind, endpoint, region, task, code);
}
static void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                             ompt_data_t* region, ompt_data_t* task, const void* code) {
  sync(1, (int)kind, endpoint, region, task, code);
}

static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                           unsigned threads, int flags, const void* code) {
  (void)task, (void)frame, (void)flags;
  region->value = __atomic_add_fetch(&next_value, 1, __ATOMIC_RELAXED);
  note("parallel", (int)threads, ompt_scope_begin, code);
}
static void parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)region, (void)task, (void)flags;
  note("parallel", 0, ompt_scope_end, code);
}
static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                          unsigned threads, unsigned thread, int flags) {
  (void)threads;
  if ((flags & ompt_task_initial) != 0) return;
  if (endpoint != ompt_scope_begin) return;
  task->value = __atomic_add_fetch(&next_value, 1, __ATOMIC_RELAXED);
  ompt_data_t* around = NULL;
  if (get_parallel_info(2, &around, NULL) == 0) {
    self.region = region->value;
    self.task = task->value;
  }
  note("implicit_task", (int)thread, endpoint, NULL);
}
static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created,
                        int flags, int depends, const void* code) {
  (void)task, (void)frame, (void)created, (void)depends;
  if ((flags & ompt_task_explicit) != 0) note("task_create", flags & 0xff, ompt_scope_begin, code);
}
static void reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                      ompt_data_t* task, const void* code) {
  (void)region, (void)task;
  note("reduction", (int)kind, endpoint, code);
}
static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                 ompt_data_t* task, uint64_t iterations, const void* code) {
  (void)region, (void)task, (void)iterations;
  // Which thread gets a section or a single is by chance.
  if (kind == ompt_work_loop) note("work", (int)kind, endpoint, code);
}

static void set(ompt_set_callback_t set_callback, ompt_callbacks_t event,
                ompt_callback_t function) {
  char text[kRowBytes];
  ompt_callback_t before = NULL, after = NULL;
  snprintf(text, sizeof text, "set %d: %d, %d", event, get_callback(event, &before),
           (int)set_callback(event, function));
  count(text);
  if (get_callback(event, &after) == 1 && after != function) add(&wrong_callback);
}
#define SET(name) set(set_callback, ompt_callback_##name, (ompt_callback_t)name)

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device;
  const char* without = getenv("TOOL_WITHOUT");
  data->value = 42;
  if (without != NULL && strcmp(without, "wish") == 0) return 0;
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
  SET(parallel_begin);
  SET(parallel_end);
  SET(implicit_task);
  SET(task_create);
  SET(work);
  SET(reduction);
  if (without != NULL && strcmp(without, "sync") == 0) return 1;
  SET(sync_region);
  if (without == NULL || strcmp(without, "wait") != 0) SET(sync_region_wait);
  return 1;
}

static int by_text(const void* left, const void* right) {
  return strcmp(((const struct row*)left)->text, ((const struct row*)right)->text);
}

static void finalize(ompt_data_t* data) {
  qsort(rows, (size_t)row_count, sizeof rows[0], by_text);
  for (int i = 0; i < row_count; ++i) printf("%6d %s\n", rows[i].count, rows[i].text);
  printf("unbalanced %d, wrong regions %d, wrong tasks %d, wrong callbacks %d, data %d\n",
         unbalanced, wrong_region, wrong_task, wrong_callback, (int)data->value);
  fflush(stdout);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned int version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char* without = getenv("TOOL_WITHOUT");
  puts("tool asked");
  return without != NULL && strcmp(without, "start") == 0 ? NULL : &result;
}
