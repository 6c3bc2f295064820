#include "platform/slice.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "platform/missing.h"
#include "platform/optional_calls.h"

namespace muster {
namespace {

// As in linux/sched/types.h, which older systems lack.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

constexpr std::uint32_t kOrdinaryPolicy = 0;  // SCHED_OTHER
// Keeps the current policy: one that another thread has just set stays, and with a real-time one the call fails for
// lack of a priority.
constexpr std::uint64_t kKeepPolicy = 0x08;  // SCHED_FLAG_KEEP_POLICY, from Linux 5.3 on

bool get(pid_t thread, Attributes& attributes) {
  return syscall(SYS_sched_getattr, thread, &attributes, sizeof(attributes), 0) == 0;
}

bool set(pid_t thread, std::uint64_t runtime) {
  Attributes attributes;
  attributes.flags = kKeepPolicy;
  attributes.runtime = runtime;
  return syscall(SYS_sched_setattr, thread, &attributes, 0) == 0;
}

// The kernel's default slice, as far as it can be determined; 0: not determined yet.
std::atomic<std::uint64_t> g_kernels_slice{0};
std::atomic<bool> g_unavailable{false};

// The threads with a requested slice, and what the kernel has made of the last request.
constinit std::atomic<pid_t> g_threads[256];
std::atomic<std::uint64_t> g_requested{0};
thread_local constinit std::atomic<pid_t>* t_entry __attribute__((tls_model("initial-exec"))) =
    nullptr;

bool enter() {
  const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
  for (std::atomic<pid_t>& entry : g_threads) {
    pid_t free = 0;
    if (!entry.compare_exchange_strong(free, thread)) continue;
    t_entry = &entry;
    return true;
  }
  return false;
}

void leave() {
  if (t_entry != nullptr) t_entry->store(0);
  t_entry = nullptr;
}

// Unless it was changed since.
void withdraw(pid_t thread, std::uint64_t requested) {
  Attributes own;
  if (get(thread, own) && own.policy == kOrdinaryPolicy && own.nice == 0 &&
      own.runtime == requested)
    set(thread, 0);
}

bool unavailable(int error) {
  g_unavailable.store(true, std::memory_order_relaxed);
  note_missing(Missing::kSlice, error);
  return false;
}

std::uint64_t kernels_slice(const Attributes& own) {
  std::uint64_t slice = g_kernels_slice.load(std::memory_order_relaxed);
  if (slice == 0) {
    Attributes first;
    slice = get(1, first) && first.runtime != 0 ? first.runtime : own.runtime;
    g_kernels_slice.store(slice, std::memory_order_relaxed);
  }
  return slice;
}

bool ask(std::uint64_t ns) {
  Attributes own;
  if (!get(0, own)) return unavailable(errno);
  if (own.policy != kOrdinaryPolicy || own.nice != 0) return false;
  if (own.runtime == 0) return unavailable(0);  // before Linux 6.12
  if (own.runtime != kernels_slice(own)) return false;
  if (!enter()) return false;
  const bool asked = set(0, ns) && get(0, own);
  if (asked && own.runtime != kernels_slice(own)) {
    g_requested.store(own.runtime);
    detail::t_slice_ns = own.runtime;
    return true;
  }
  const int error = asked ? 0 : errno;
  leave();
  return unavailable(error);
}

}  // namespace

bool ask_for_slice(std::uint64_t ns) {
  if (detail::t_slice_ns != 0) return true;
  if (g_unavailable.load(std::memory_order_relaxed)) return false;
  const int saved = errno;
  const OptionalCalls calls;
  const bool allowed =
      calls.allow(SYS_sched_setattr) && calls.allow(SYS_sched_getattr) && calls.allow(SYS_gettid);
  const bool asked = allowed ? ask(ns) : unavailable(ECANCELED);
  errno = saved;
  return asked;
}

void give_all_slices_back() {
  for (std::atomic<pid_t>& entry : g_threads) {
    const pid_t thread = entry.load();
    if (thread != 0) withdraw(thread, g_requested.load());
  }
}

void forget_slices() {
  for (std::atomic<pid_t>& entry : g_threads) entry.store(0);
  t_entry = nullptr;
}

namespace detail {

// The slice that ask_for_slice() set; 0 = none.
thread_local constinit std::uint64_t t_slice_ns __attribute__((tls_model("initial-exec"))) = 0;

void give_slice_back() {
  const int saved = errno;
  const OptionalCalls calls;
  if (calls.allow(SYS_sched_setattr)) withdraw(0, t_slice_ns);  // else it was, before the filter
  leave();
  t_slice_ns = 0;
  errno = saved;
}

}  // namespace detail

}  // namespace muster
