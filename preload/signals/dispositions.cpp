#include "preload/signals/dispositions.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <iterator>

#include "platform/c_library/bound.h"
#include "platform/lock.h"
#include "platform/yield_cpu.h"

namespace muster {
namespace {

// Those whose default action is to end the process without a core dump, and that people and job schedulers send.
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};

// What the system call rt_sigaction takes, alike on the processors that Muster runs on. The C library's function would
// change a disposition that is read and set again: it adds SA_RESTORER to the flags.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void* restorer;
  std::uint64_t mask;
};

bool kernel_action(int signal, const KernelAction* action, KernelAction* old) {
  return syscall(SYS_rt_sigaction, signal, action, old, sizeof(action->mask)) == 0;
}

std::atomic<bool> g_handles{false};
std::atomic<bool> g_left[std::size(kSignals)] = {};
KernelAction g_programs[std::size(kSignals)] = {};  // what the handler stands in for
std::atomic<pid_t> g_process{0};
std::atomic<bool> g_ending{false};
void (*g_on_signal)() = nullptr;
Lock g_lock;

int place_of(int signal) {
  for (unsigned i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i] == signal) return static_cast<int>(i);
  }
  return -1;
}

// Another thread writes the report, and ends the process. No cancellation point.
void wait_for_the_end() {
  constexpr unsigned kSeconds = 5;
  for (unsigned i = 0; i < 10 * kSeconds; ++i) nap(100'000'000);
}

void end_by(int signal) {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  muster_sigaction(signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

void handle(int signal) {
  const int saved = errno;
  if (getpid() == g_process.load(std::memory_order_relaxed)) {
    if (g_ending.exchange(true)) {
      wait_for_the_end();
    } else {
      g_on_signal();
    }
  }
  end_by(signal);
  errno = saved;
}

void take(unsigned place) {
  KernelAction now{};
  if (g_left[place].load(std::memory_order_relaxed)) return;
  if (!kernel_action(kSignals[place], nullptr, &now) || now.handler != SIG_DFL) return;
  g_programs[place] = now;
  struct sigaction ours{};
  ours.sa_handler = handle;
  ours.sa_flags = SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  muster_sigaction(kSignals[place], &ours, nullptr);
}

void give_back(unsigned place) {
  KernelAction now{};
  if (kernel_action(kSignals[place], nullptr, &now) && now.handler == handle) {
    kernel_action(kSignals[place], &g_programs[place], nullptr);
  }
}

void block_all(sigset_t& before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
}

}  // namespace

void handle_default_dispositions(void (*on_signal)()) {
  if (getpid() == 1) return;
  g_on_signal = on_signal;
  g_process.store(getpid());
  sigset_t mask;
  block_all(mask);
  {
    const Locked locked(g_lock);
    g_handles.store(true);
    for (unsigned i = 0; i < std::size(kSignals); ++i) take(i);
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void restore_default_dispositions() {
  if (!g_handles.exchange(false)) return;
  if (g_ending.load()) wait_for_the_end();
  for (unsigned i = 0; i < std::size(kSignals); ++i) give_back(i);
}

void dispositions_after_fork() {
  g_lock.unlock();
  g_ending.store(false);
  if (g_handles.load()) g_process.store(getpid());
}

ProgramsDisposition::ProgramsDisposition(int signal)
    : place_(g_handles.load(std::memory_order_relaxed) ? place_of(signal) : -1) {
  if (place_ < 0) return;
  const int saved = errno;
  block_all(mask_);  // a handler may get here, too
  g_lock.lock();
  give_back(static_cast<unsigned>(place_));
  errno = saved;
}

ProgramsDisposition::~ProgramsDisposition() {
  if (place_ < 0) return;
  const int saved = errno;
  // In the child of a vfork the program's disposition stays.
  if (getpid() == g_process.load(std::memory_order_relaxed)) take(static_cast<unsigned>(place_));
  g_lock.unlock();
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  errno = saved;
}

void leave_disposition(int signal) {
  const int place = place_of(signal);
  if (place < 0) return;
  const int saved = errno;
  sigset_t mask;
  block_all(mask);
  {
    const Locked locked(g_lock);
    g_left[place].store(true, std::memory_order_relaxed);
    if (g_handles.load(std::memory_order_relaxed)) give_back(static_cast<unsigned>(place));
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  errno = saved;
}

}  // namespace muster
