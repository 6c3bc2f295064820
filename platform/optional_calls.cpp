#include "platform/optional_calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "platform/cache_line.h"
#include "platform/cpus.h"
#include "platform/fences.h"
#include "platform/missing.h"
#include "platform/slice.h"
#include "platform/yield_cpu.h"

namespace muster {
namespace {

struct Call {
  long number;
  Missing missing = Missing::kOtherCalls;
};
// All of them. The first two are what trying needs.
constexpr Call kCalls[] = {
    {SYS_wait4},
    {SYS_prctl},
    {SYS_membarrier, Missing::kMembarrier},
    {SYS_sched_setaffinity, Missing::kSetAffinity},
    {SYS_sched_getaffinity, Missing::kGetAffinity},
    {SYS_sched_setattr, Missing::kSlice},
    {SYS_sched_getattr, Missing::kSlice},
    {SYS_sched_getscheduler},
    {SYS_sched_yield},
    {SYS_clock_nanosleep},
    {SYS_clock_gettime},
    {SYS_getcpu, kCpuByCall ? Missing::kCurrentCpu : Missing::kOtherCalls},
    {SYS_gettid},
    {SYS_rt_sigprocmask},
    {SYS_rt_sigaction},
    {SYS_tgkill},
    {SYS_openat},
    {SYS_read},
    {SYS_write},
    {SYS_pread64, Missing::kIdleTime},
    {SYS_close},
    {SYS_fstat},
    {SYS_newfstatat},
    {SYS_statx},
    {SYS_fcntl},
    {SYS_prlimit64},
    {SYS_ioctl},
    {SYS_lseek},
    {SYS_getdents64},
    {SYS_faccessat},
    {SYS_readlinkat},
    {SYS_linkat},
    {SYS_unlinkat},
    {SYS_renameat2},
    {SYS_uname},
    {SYS_sysinfo},
    {SYS_getuid},
    {SYS_geteuid},
    {SYS_getgid},
    {SYS_getegid},
    {SYS_getrusage},
    {SYS_perf_event_open},
    {SYS_process_vm_readv},
    {SYS_shmget, Missing::kSharedPage},
    {SYS_shmat, Missing::kSharedPage},
    {SYS_shmdt, Missing::kSharedPage},
    {SYS_shmctl, Missing::kSharedPage},
};
constexpr unsigned kCount = sizeof(kCalls) / sizeof(kCalls[0]);
static_assert(kCount <= 64);

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
std::atomic<std::uint64_t> g_refused{kUnknown};  // a bit for each
std::atomic<bool> g_found_out{false};
std::atomic<bool> g_ended{false};
std::atomic<pid_t> g_process{0};

// How many scopes are open, spread over lines because waiting threads open many.
struct alignas(kCoherenceGranule) Shard {
  std::atomic<unsigned> scopes{0};
};
constinit Shard g_shards[32];
thread_local constinit unsigned t_scopes __attribute__((tls_model("initial-exec"))) = 0;

// Fibonacci hashing: threads' stacks may lie at multiples of any size.
Shard& shard_of_thread() {
  const auto page = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&t_scopes) / 4096);
  return g_shards[page * 2'654'435'769U >> 27];
}

// Only what the loader has made, too. True if that cannot be read.
bool has_filter() {
  static char text[4096];
  const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const long length = syscall(SYS_read, file, text, sizeof(text) - 1);
  syscall(SYS_close, file);
  return length <= 0 || std::strstr(text, "\nSeccomp:\t0\n") == nullptr;
}

// In the child. Invalid arguments: none has an effect.
void make_calls(unsigned from, std::uint64_t refused, std::atomic<unsigned>& made) {
  const auto hide = [] { syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0); };  // writes no core
  if (from > 1 && (refused & 2) == 0) hide();
  for (unsigned i = from; i < kCount; ++i) {
    made.store(i);
    if (kCalls[i].number == SYS_prctl) {
      hide();
    } else {
      syscall(kCalls[i].number, -1L, 0L, 0L, 0L, 0L, 0L);
    }
  }
  made.store(kCount);
  for (;;) syscall(SYS_exit_group, 0);
}

// As pthread_create: clone3, else clone. The parent goes on when the child has ended, and gets no signal.
long make_child() {
  constexpr long kClone3 = 435;  // older headers lack it
  const std::uint64_t how[8] = {CLONE_VFORK};
  const long child = syscall(kClone3, how, sizeof(how));
  return child < 0 && errno == ENOSYS ? syscall(SYS_clone, CLONE_VFORK, 0L, 0L, 0L, 0L) : child;
}

std::uint64_t try_calls(std::atomic<unsigned>& made) {
  std::uint64_t refused = 0;
  for (unsigned from = 0; from < kCount;) {
    made.store(from);
    const long child = make_child();
    if (child < 0) return kUnknown;
    if (child == 0) make_calls(from, refused, made);
    const unsigned last = made.load();
    if (last == 0) return kUnknown;  // nor can this one be waited for
    syscall(SYS_wait4, child, nullptr, __WALL, nullptr);
    if (last < kCount) refused |= std::uint64_t{1} << last;
    from = last + 1;
  }
  return refused;
}

// valgrind reports invalid arguments as errors of the program.
bool is_in_valgrind() {
  const char* preloads = std::getenv("LD_PRELOAD");
  return preloads != nullptr && std::strstr(preloads, "/vgpreload_") != nullptr;
}

// With all signals blocked: the child has the program's handlers, and a blocked SIGSYS ends it whatever they are.
std::uint64_t find_refused() {
  if (!has_filter()) return 0;
  if (is_in_valgrind()) return kUnknown;
  void* page = mmap(nullptr, sizeof(std::atomic<unsigned>), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return kUnknown;
  constexpr std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  std::uint64_t refused = kUnknown;
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(before)) == 0) {
    refused = try_calls(*static_cast<std::atomic<unsigned>*>(page));
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof(before));
  }
  munmap(page, sizeof(std::atomic<unsigned>));
  return refused;
}

void after_fork_in_child() {
  for (Shard& shard : g_shards) shard.scopes.store(0);
  shard_of_thread().scopes.store(t_scopes);
  if (!g_ended.load()) g_process.store(getpid());
  forget_slices();
}

// Other threads may make none meanwhile.
void find_out() {
  if (g_found_out.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  const int saved = errno;
  g_process.store(getpid());
  const std::uint64_t refused = find_refused();
  for (unsigned i = 0; i < kCount; ++i) {
    if ((refused >> i & 1) != 0) note_missing(kCalls[i].missing, ECANCELED);
  }
  g_refused.store(refused);
  errno = saved;
}

void wait_for_scopes() {
  const Shard& own = shard_of_thread();
  for (const Shard& shard : g_shards) {
    while (shard.scopes.load() != (&shard == &own ? t_scopes : 0)) nap(10'000);
  }
}

}  // namespace

OptionalCalls::OptionalCalls() {
  // Sequentially consistent, as in end_optional_calls(): one of the two sees the other.
  shard_of_thread().scopes.fetch_add(1);
  ++t_scopes;
  if (!g_found_out.load(std::memory_order_relaxed)) [[unlikely]]
    find_out();
  admitted_ = t_scopes > 1 || !g_ended.load();
  if (!admitted_) leave();
}

OptionalCalls::~OptionalCalls() {
  if (admitted_) leave();
}

void OptionalCalls::leave() {
  --t_scopes;
  shard_of_thread().scopes.fetch_sub(1, std::memory_order_release);
}

bool OptionalCalls::allow_all() const {
  return admitted_ && g_refused.load(std::memory_order_relaxed) == 0;
}

bool OptionalCalls::allow(long number) const {
  const std::uint64_t refused = g_refused.load(std::memory_order_relaxed);
  if (refused == 0 || !admitted_) return admitted_;
  unsigned i = 0;
  while (i < kCount && kCalls[i].number != number) ++i;
  return i < kCount && (refused >> i & 1) == 0;
}

bool in_child_of_vfork() {
  return g_found_out.load() && !g_ended.load() && g_process.load() != getpid();
}

bool optional_calls_ended() { return g_ended.load(std::memory_order_relaxed); }

void end_optional_calls() {
  if (!g_found_out.exchange(true)) {  // none was made
    g_ended.store(true);
    return;
  }
  const OptionalCalls mine;
  g_ended.store(true);
  if (kCpuByCall) note_missing(Missing::kCurrentCpu, ECANCELED);
  wait_for_scopes();
  end_heavy_fences();
  give_all_slices_back();
}

}  // namespace muster

long optional_call(long number, ...) noexcept {
  va_list words;
  va_start(words, number);
  long word[6];
  for (long& each : word) each = va_arg(words, long);
  va_end(words);
  const muster::OptionalCalls scope;
  if (scope.allow(number))
    return syscall(number, word[0], word[1], word[2], word[3], word[4], word[5]);
  errno = ECANCELED;
  return -1;
}
