// See priorities.h.
#include "gang/priorities.h"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace gang {
namespace {

// As the kernel defines it; glibc before 2.41 does not.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // for ordinary threads: the requested slice in ns; 0: the default
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

constexpr std::uint64_t kShortSliceNs = 100'000;  // the shortest that the kernel allows
constexpr int kMostNice = 19;

bool get(pid_t thread, Attributes& attributes) {
  return syscall(SYS_sched_getattr, thread, &attributes, sizeof attributes, 0) == 0;
}

int set(pid_t thread, const Attributes& attributes) {
  if (syscall(SYS_sched_setattr, thread, &attributes, 0) == 0) return 1;
  return errno == ESRCH ? 0 : -1;
}

void set_slice(std::uint64_t ns) {
  Attributes attributes;
  if (!get(0, attributes) || attributes.policy != SCHED_OTHER) return;
  attributes.runtime = ns;
  set(0, attributes);  // ignored by kernels before 6.12
}

}  // namespace

int inherited_policy() {
  Attributes attributes;
  return get(0, attributes) ? static_cast<int>(attributes.policy) : SCHED_OTHER;
}

std::string why_no_priorities(int plain) {
  if (plain == SCHED_IDLE) return "it was started as SCHED_IDLE, below which there is nothing";
  const pid_t child = fork();
  if (child == 0) {
    const bool works = lower(0, plain) == 1 && restore(0, plain) == 1;
    _exit(works ? 0 : (errno == 0 ? EPERM : errno));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return std::strerror(errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string reason = std::strerror(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM);
  return "this user may not put a lowered priority back (root may, and with 'ulimit -e 40' "
         "others): " +
         reason;
}

void enter_short_slices() { set_slice(kShortSliceNs); }
void leave_short_slices() { set_slice(0); }

int lower(pid_t thread, int plain) {
  Attributes attributes;
  if (!get(thread, attributes) || attributes.policy != static_cast<std::uint32_t>(plain)) return 0;
  attributes.policy = SCHED_IDLE;
  attributes.runtime = 0;
  // A change of the nice value makes the kernel reschedule at once; a change of the policy alone takes effect at the
  // next tick. So the nice value is changed, and changed back.
  const int nice = attributes.nice;
  if (nice < kMostNice) {
    ++attributes.nice;
    const int done = set(thread, attributes);
    if (done <= 0) return done;
    attributes.nice = nice;
  }
  return set(thread, attributes);
}

int restore(pid_t thread, int plain) {
  Attributes attributes;
  if (!get(thread, attributes) || attributes.policy != SCHED_IDLE) return 0;
  attributes.policy = static_cast<std::uint32_t>(plain);
  return set(thread, attributes);
}

}  // namespace gang
