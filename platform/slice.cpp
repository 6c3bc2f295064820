#include "platform/slice.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "platform/missing.h"

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

bool set(std::uint64_t runtime) {
  Attributes attributes;
  attributes.flags = kKeepPolicy;
  attributes.runtime = runtime;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

// The kernel's default slice, as far as it can be determined; 0: not determined yet.
std::atomic<std::uint64_t> g_kernels_slice{0};
std::atomic<bool> g_unavailable{false};

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
  if (!set(ns) || !get(0, own)) return unavailable(errno);
  if (own.runtime == kernels_slice(own)) return unavailable(0);
  detail::t_slice_ns = own.runtime;
  return true;
}

}  // namespace

bool ask_for_slice(std::uint64_t ns) {
  if (detail::t_slice_ns != 0) return true;
  if (g_unavailable.load(std::memory_order_relaxed)) return false;
  const int saved = errno;
  const bool asked = ask(ns);
  errno = saved;
  return asked;
}

namespace detail {

// The slice that ask_for_slice() set; 0 = none.
thread_local constinit std::uint64_t t_slice_ns __attribute__((tls_model("initial-exec"))) = 0;

void give_slice_back() {
  const int saved = errno;
  Attributes own;
  if (get(0, own) && own.policy == kOrdinaryPolicy && own.nice == 0 && own.runtime == t_slice_ns) {
    set(0);
  }
  t_slice_ns = 0;
  errno = saved;
}

}  // namespace detail

}  // namespace muster
