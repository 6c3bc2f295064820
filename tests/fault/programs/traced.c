// A program with an OMPT tool of its own, which notes for each event where the program called the runtime and which
// frames that has noted: what a profiler makes its call paths from. Addresses are those in the program's file, frames
// are relative to main's, so that they compare between runs.
#include <omp-tools.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char __executable_start[], etext[];

enum { kMostLines = 4096, kLineBytes = 128 };
static char lines[kMostLines][kLineBytes];
static int line_count;
static const char* main_frame;
static ompt_get_task_info_t get_task_info;

static const char* name_of(const void* code, char* text) {
  uintptr_t offset = (uintptr_t)code - (uintptr_t)__executable_start;
  if (code == NULL) return "nowhere";
  if (offset >= (uintptr_t)(etext - __executable_start)) return "elsewhere";
  snprintf(text, 32, "%#lx", (unsigned long)offset);
  return text;
}

// Of the initial thread; another one's stack lies anywhere.
static const char* frame_name(ompt_data_t frame, char* text) {
  long distance = (const char*)frame.ptr - main_frame;
  if (frame.ptr == NULL) return "none";
  if (distance > 1000000 || distance < -1000000) return "another";
  snprintf(text, 32, "%ld", distance);
  return text;
}

static void note(const char* event, int kind, const void* code) {
  char place[32], enter[32], leave[32];
  char all[kLineBytes];
  int used = snprintf(all, sizeof all, "%d %s %d from %s:", omp_get_thread_num(), event, kind,
                      name_of(code, place));
  for (int level = 0; level < 2; ++level) {
    int flags, thread;
    ompt_frame_t* frame = NULL;
    if (get_task_info(level, &flags, NULL, &frame, NULL, &thread) != 2 || frame == NULL) break;
    used += snprintf(all + used, sizeof all - (size_t)used, " (%s, %s)",
                     frame_name(frame->enter_frame, enter), frame_name(frame->exit_frame, leave));
  }
  int at = __atomic_fetch_add(&line_count, 1, __ATOMIC_RELAXED);
  if (at < kMostLines) memcpy(lines[at], all, sizeof all);
}

static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region,
                           unsigned threads, int flags, const void* code) {
  (void)task, (void)frame, (void)region, (void)flags;
  note("parallel begins", (int)threads, code);
}
static void parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  (void)region, (void)task, (void)flags;
  note("parallel ends", 0, code);
}
static void task_create(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* created,
                        int flags, int depends, const void* code) {
  (void)task, (void)frame, (void)created, (void)depends;
  if ((flags & ompt_task_initial) == 0) note("task created", flags, code);
}
static void work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                 ompt_data_t* task, uint64_t count, const void* code) {
  (void)region, (void)task, (void)count;
  if (end == ompt_scope_begin) note("work", (int)kind, code);
}
static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                        ompt_data_t* task, const void* code) {
  (void)task;
  // The end of a worker's part of a region comes whenever that thread finds it.
  if (region != NULL && end == ompt_scope_begin) note("sync", (int)kind, code);
}
static void reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* region,
                      ompt_data_t* task, const void* code) {
  (void)region, (void)task;
  if (end == ompt_scope_begin) note("reduction", (int)kind, code);
}
static void mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned way, ompt_wait_id_t id,
                          const void* code) {
  (void)hint, (void)way, (void)id;
  note("acquire", (int)kind, code);
}
static void mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  (void)id;
  note("released", (int)kind, code);
}
static void masked(ompt_scope_endpoint_t end, ompt_data_t* region, ompt_data_t* task,
                   const void* code) {
  (void)region, (void)task;
  note("masked", (int)end, code);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
  set(ompt_callback_task_create, (ompt_callback_t)task_create);
  set(ompt_callback_work, (ompt_callback_t)work);
  set(ompt_callback_sync_region, (ompt_callback_t)sync_region);
  set(ompt_callback_reduction, (ompt_callback_t)reduction);
  set(ompt_callback_mutex_acquire, (ompt_callback_t)mutex_acquire);
  set(ompt_callback_mutex_released, (ompt_callback_t)mutex_released);
  set(ompt_callback_masked, (ompt_callback_t)masked);
  return 1;
}
static void finalize(ompt_data_t* data) { (void)data; }
ompt_start_tool_result_t* ompt_start_tool(unsigned int version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

static double sum;
static double values[16];
#pragma omp threadprivate(sum)

static void everything(void) {
  static omp_lock_t lock;
  static omp_nest_lock_t nest_lock;
  int shared = 0, private = 0;
  double total = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  // Here only: where a thread has to wait for a lock, libomp sometimes loses the call's address.
#pragma omp critical
  ++shared;
  omp_set_lock(&lock);
  omp_set_nest_lock(&nest_lock);
  if (omp_test_nest_lock(&nest_lock)) omp_unset_nest_lock(&nest_lock);
  omp_unset_nest_lock(&nest_lock);
  omp_unset_lock(&lock);
#pragma omp parallel num_threads(2) firstprivate(private) copyin(sum)
  {
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 16; ++i) values[i] = i;
#pragma omp for schedule(static, 2) ordered
    for (int i = 0; i < 4; ++i) {
#pragma omp ordered
      values[i] += 1;
    }
#pragma omp for reduction(+ : total)
    for (int i = 0; i < 16; ++i) total += values[i];
#pragma omp for reduction(+ : total) nowait
    for (int i = 0; i < 16; ++i) total += values[i];
#pragma omp barrier
#pragma omp masked
    ++shared;
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
#pragma omp task firstprivate(private)
      ++private;
#pragma omp taskwait
#pragma omp task if (0)
      ++private;
#pragma omp task depend(out : shared)
      ++shared;
#pragma omp taskwait depend(in : shared)
#pragma omp taskgroup
      {
#pragma omp taskloop num_tasks(2)
        for (int i = 0; i < 4; ++i) values[i] = i;
      }
    }
#pragma omp barrier
#pragma omp parallel num_threads(1) if (private > 99)
    {
#pragma omp barrier
    }
  }
#pragma omp parallel num_threads(2) if (shared > 1000)
  ++private;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 2; ++i) {
#pragma omp barrier
  }
#pragma omp parallel num_threads(2) reduction(+ : total) copyin(sum)
  total += omp_get_thread_num();
#pragma omp parallel for num_threads(2) schedule(guided)
  for (int i = 0; i < 16; ++i) values[i] = i;
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
}

static int by_text(const void* left, const void* right) { return strcmp(left, right); }

int main(void) {
  // The runtime aligns parts of its frames: from a page's beginning on, always alike.
  volatile char* below = __builtin_alloca(((uintptr_t)__builtin_frame_address(0) & 0xfff) + 16);
  below[0] = 0;
  main_frame = (const char*)below;
  for (int i = 0; i < 3; ++i) everything();
  int count = line_count < kMostLines ? line_count : kMostLines;
  qsort(lines, (size_t)count, kLineBytes, by_text);
  for (int i = 0; i < count; ++i) puts(lines[i]);
  return 0;
}
