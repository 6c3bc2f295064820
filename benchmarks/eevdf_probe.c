// What the scheduler of this machine does to a few threads: the settings of eevdf_predict.cpp, for real.
// One line of JSON. All hogs are threads of this process, so that no group scheduling comes in between.
//
//     eevdf_probe spin SECONDS THREADS          shares and run lengths of threads that only compute
//     eevdf_probe yield SECONDS HOGS            what a sched_yield takes beside hogs, all on CPU 0
//     eevdf_probe sleep SECONDS HOGS SLICE_US   how late a thread that sleeps 1 ms runs; 0: the usual slice
//     eevdf_probe barrier SECONDS HOGS WORK_US POLICY SEED   two threads; block, spin, yield, or 20us and then
//                                               block; all begin at times by the seed, in the first 20 ms
//     eevdf_probe wake SECONDS HOGS PAUSE_US    from a futex wake to the first instruction of a thread on CPU 1,
//                                               which idles or has hogs; such a pause between two
//     eevdf_probe timer SECONDS                 how late a timer interrupts a thread that runs
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kMostThreads = 64, kMostSamples = 1 << 20 };

static uint64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}
static uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
static uint64_t cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static void sleep_until(uint64_t ns) {
  const struct timespec until = {(time_t)(ns / 1000000000U), (long)(ns % 1000000000U)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static atomic_bool stop;
static atomic_uint ready;
static unsigned others_to_wait_for;
static uint64_t ends;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
}

static void ask_for_slice(unsigned us) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = sizeof attributes, .runtime = us * UINT64_C(1000)};
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) fail("sched_setattr");
}

typedef struct {
  uint64_t* values;
  size_t count;
} Samples;

static Samples samples_make(void) {
  Samples out = {malloc(kMostSamples * sizeof(uint64_t)), 0};
  if (out.values == NULL) fail("malloc");
  return out;
}
static void samples_add(Samples* samples, uint64_t value) {
  if (samples->count < kMostSamples) samples->values[samples->count++] = value;
}
static int less(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}
static double us_at(Samples* samples, double share) {
  if (samples->count == 0) return -1;
  return (double)samples->values[(size_t)(share * (double)(samples->count - 1))] / 1000;
}
static void print_samples(const char* name, Samples* samples) {
  qsort(samples->values, samples->count, sizeof(uint64_t), less);
  double sum = 0;
  for (size_t i = 0; i < samples->count; ++i) sum += (double)samples->values[i] / 1000;
  printf(
      "\"%s\": {\"count\": %zu, \"mean\": %.2f, \"p10\": %.2f, \"p50\": %.2f, \"p90\": %.2f, "
      "\"p99\": %.2f}",
      name, samples->count, samples->count ? sum / (double)samples->count : -1, us_at(samples, 0.1),
      us_at(samples, 0.5), us_at(samples, 0.9), us_at(samples, 0.99));
}

static void start_together(void) {
  atomic_fetch_add(&ready, 1);
  while (atomic_load(&ready) < others_to_wait_for) sched_yield();
}

// A run ends where the clock jumps: 50 us are more than any interrupt and less than any slice.
typedef struct {
  Samples runs;
  uint64_t ran;
  int cpu;
} Spinner;

static void* spin_and_note(void* argument) {
  Spinner* const me = argument;
  if (me->cpu >= 0) bind_to(me->cpu);
  start_together();
  uint64_t began = now_ns(), last = began;
  const uint64_t cpu = cpu_ns();
  bool first = true;
  while (last < ends) {
    const uint64_t now = now_ns();
    if (now - last > 50000) {
      if (!first) samples_add(&me->runs, last - began);
      first = false;
      began = now;
    }
    last = now;
  }
  me->ran = cpu_ns() - cpu;
  return NULL;
}

static int cpu_of_hogs = -1;
static void* hog(void* unused) {
  (void)unused;
  if (cpu_of_hogs >= 0) bind_to(cpu_of_hogs);
  start_together();
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) continue;
  return NULL;
}

static pthread_t threads[kMostThreads];
static unsigned started;
static void begin(void* (*what)(void*), void* argument) {
  if (pthread_create(&threads[started++], NULL, what, argument) != 0) fail("pthread_create");
}
static void begin_hogs(unsigned hogs) {
  for (unsigned i = 0; i < hogs; ++i) begin(hog, NULL);
}
static void end_all(void) {
  atomic_store(&stop, true);
  for (unsigned i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}

static void spin(double seconds, unsigned count) {
  static Spinner spinners[kMostThreads];
  others_to_wait_for = count;
  ends = now_ns() + (uint64_t)(seconds * 1e9);
  for (unsigned i = 0; i < count; ++i) {
    spinners[i] = (Spinner){samples_make(), 0, -1};
    begin(spin_and_note, &spinners[i]);
  }
  end_all();
  Samples runs = samples_make();
  printf("{\"shares\": [");
  for (unsigned i = 0; i < count; ++i) {
    printf("%s%.3f", i ? ", " : "", (double)spinners[i].ran / (seconds * 1e9));
    for (size_t n = 0; n < spinners[i].runs.count; ++n)
      samples_add(&runs, spinners[i].runs.values[n]);
  }
  printf("], ");
  print_samples("runs", &runs);
  printf("}\n");
}

static void yield(double seconds, unsigned hogs) {
  cpu_of_hogs = 0;
  others_to_wait_for = hogs + 1;
  bind_to(0);
  begin_hogs(hogs);
  start_together();
  ends = now_ns() + (uint64_t)(seconds * 1e9);
  Samples took = samples_make();
  const uint64_t cpu = cpu_ns();
  for (uint64_t last = now_ns(); last < ends;) {
    sched_yield();
    const uint64_t now = now_ns();
    samples_add(&took, now - last);
    last = now;
  }
  const uint64_t ran = cpu_ns() - cpu;
  end_all();
  printf("{\"share\": %.4f, ", (double)ran / (seconds * 1e9));
  print_samples("yields", &took);
  printf("}\n");
}

static void sleep_beside(double seconds, unsigned hogs, unsigned slice_us) {
  others_to_wait_for = hogs + 1;
  begin_hogs(hogs);
  start_together();
  if (prctl(PR_SET_TIMERSLACK, 1) != 0) fail("prctl");
  if (slice_us > 0) ask_for_slice(slice_us);
  ends = now_ns() + (uint64_t)(seconds * 1e9);
  Samples late = samples_make();
  for (uint64_t last = now_ns(); last < ends; last = now_ns()) {
    const uint64_t due = last + 1000000;
    sleep_until(due);
    samples_add(&late, now_ns() - due);
    for (const uint64_t begins = now_ns(); now_ns() - begins < 20000;) continue;
  }
  end_all();
  printf("{");
  print_samples("late", &late);
  printf("}\n");
}

// A central barrier of two with one futex word.
enum policy { kBlock, kSpin, kYield, kSpinThenBlock };
static enum policy policy;
static atomic_uint arrived, episode, sleepers;
static uint64_t work_ns;
static uint64_t iterations;
static long futex(int operation, unsigned value) {
  return syscall(SYS_futex, &episode, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}
static void barrier(void) {
  const unsigned mine = atomic_load(&episode);
  if (atomic_fetch_add(&arrived, 1) == 1) {
    atomic_store(&arrived, 0);
    atomic_fetch_add(&episode, 1);
    if (atomic_load(&sleepers) > 0) futex(FUTEX_WAKE, 1);
    return;
  }
  const uint64_t began = policy == kSpinThenBlock ? now_ns() : 0;
  while (atomic_load(&episode) == mine) {
    if (policy == kYield) {
      sched_yield();
    } else if (policy == kBlock || (policy == kSpinThenBlock && now_ns() - began > 20000)) {
      atomic_fetch_add(&sleepers, 1);
      futex(FUTEX_WAIT, mine);
      atomic_fetch_sub(&sleepers, 1);
    }
  }
}
static atomic_bool over;
static void* member(void* first) {
  start_together();
  for (;;) {
    if (work_ns > 0)
      for (const uint64_t begins = now_ns(); now_ns() - begins < work_ns;) continue;
    if (first != NULL && now_ns() >= ends) atomic_store(&over, true);
    barrier();
    if (atomic_load(&over))
      return NULL;  // set before the barrier by its one writer: seen by both after it
    if (first != NULL) ++iterations;
    barrier();
  }
}

// The times of eevdf_predict.cpp for the same seed (waiting/random.h: MixedNumbers).
static uint64_t random_start(uint64_t* state) {
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  z ^= z >> 31;
  return (z >> 32) % 20000000;
}

typedef struct {
  uint64_t at;
  void* (*what)(void*);
  void* argument;
} Start;
static int earlier(const void* a, const void* b) {
  const Start *const x = a, *const y = b;
  return (x->at > y->at) - (x->at < y->at);
}
static void barriers(double seconds, unsigned hogs, double work_us, uint64_t seed) {
  work_ns = (uint64_t)(work_us * 1000);
  const uint64_t begins = now_ns();
  ends = begins + (uint64_t)(seconds * 1e9);
  Start starts[kMostThreads];
  for (unsigned i = 0; i < hogs + 2; ++i)
    starts[i] =
        (Start){begins + random_start(&seed), i < hogs ? hog : member, i == hogs ? &policy : NULL};
  qsort(starts, hogs + 2, sizeof starts[0], earlier);
  for (unsigned i = 0; i < hogs + 2; ++i) {
    sleep_until(starts[i].at);
    begin(starts[i].what, starts[i].argument);
  }
  sleep_until(ends);
  end_all();
  printf("{\"iterations_per_s\": %.1f}\n", (double)iterations / seconds);
}

static atomic_uint_fast64_t woken_at;
static void* sleeper(void* samples) {
  Samples* const took = samples;
  bind_to(1);
  for (unsigned seen = 0; !atomic_load(&stop); ++seen) {
    while (atomic_load(&episode) == seen) futex(FUTEX_WAIT, seen);
    samples_add(took, now_ns() - atomic_load(&woken_at));
  }
  return NULL;
}
static void wake(double seconds, unsigned hogs, double pause_us) {
  cpu_of_hogs = 1;
  others_to_wait_for = hogs + 1;
  begin_hogs(hogs);
  bind_to(0);
  start_together();
  Samples took = samples_make(), calls = samples_make();
  begin(sleeper, &took);
  ends = now_ns() + (uint64_t)(seconds * 1e9);
  const uint64_t pause = (uint64_t)(pause_us * 1000);
  bool last = false;
  while (!last) {
    for (const uint64_t begins = now_ns(); now_ns() - begins < pause;) continue;
    last = now_ns() >= ends;
    if (last) atomic_store(&stop, true);
    const uint64_t begins = now_ns();
    atomic_store(&woken_at, begins);
    atomic_fetch_add(&episode, 1);
    futex(FUTEX_WAKE, 1);
    samples_add(&calls, now_ns() - begins);
  }
  end_all();
  printf("{");
  print_samples("wakes", &took);
  printf(", ");
  print_samples("calls", &calls);
  printf("}\n");
}

static Samples timer_late;
static volatile uint64_t timer_due;
static volatile sig_atomic_t timer_rang;
static void timer_rings(int unused) {
  (void)unused;
  samples_add(&timer_late, now_ns() - timer_due);
  timer_rang = 1;
}
static void timer(double seconds) {
  timer_late = samples_make();
  timer_t id;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  const struct sigaction action = {.sa_handler = timer_rings};
  if (sigaction(SIGALRM, &action, NULL) != 0) fail("sigaction");
  if (timer_create(CLOCK_MONOTONIC, &event, &id) != 0) fail("timer_create");
  ends = now_ns() + (uint64_t)(seconds * 1e9);
  while (now_ns() < ends) {
    timer_rang = 0;
    timer_due = now_ns() + 300000;
    const struct itimerspec at = {
        .it_value = {(time_t)(timer_due / 1000000000U), (long)(timer_due % 1000000000U)}};
    if (timer_settime(id, TIMER_ABSTIME, &at, NULL) != 0) fail("timer_settime");
    while (!timer_rang) continue;
  }
  printf("{");
  print_samples("late", &timer_late);
  printf("}\n");
}

int main(int argc, char** argv) {
  const char* const what = argc > 2 ? argv[1] : "";
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  const unsigned number = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
  if (strcmp(what, "spin") == 0 && number > 0 && number < kMostThreads) {
    spin(seconds, number);
  } else if (strcmp(what, "yield") == 0 && number < kMostThreads) {
    yield(seconds, number);
  } else if (strcmp(what, "sleep") == 0 && argc == 5 && number < kMostThreads) {
    sleep_beside(seconds, number, (unsigned)atoi(argv[4]));
  } else if (strcmp(what, "barrier") == 0 && argc == 7 && number < kMostThreads - 2) {
    const char* const names[] = {"block", "spin", "yield", "20us"};
    for (unsigned i = 0; i < 4; ++i) {
      if (strcmp(argv[5], names[i]) != 0) continue;
      policy = (enum policy)i;
      barriers(seconds, number, atof(argv[4]), strtoull(argv[6], NULL, 10));
      return 0;
    }
    fprintf(stderr, "eevdf_probe: policy \"%s\": must be block, spin, yield or 20us\n", argv[5]);
    return 2;
  } else if (strcmp(what, "wake") == 0 && argc == 5 && number < kMostThreads - 1) {
    wake(seconds, number, atof(argv[4]));
  } else if (strcmp(what, "timer") == 0) {
    timer(seconds);
  } else {
    fprintf(stderr,
            "eevdf_probe spin|yield|sleep|barrier|wake|timer SECONDS ...: see its source\n");
    return 2;
  }
  return 0;
}
