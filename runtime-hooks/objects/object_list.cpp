#include "runtime-hooks/objects/object_list.h"

#include <dlfcn.h>
#include <elf.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "platform/lock.h"

#pragma weak _r_debug

namespace muster {
namespace {

constinit Lock g_lock;
// How often the thread is in visit_objects() or forks: handlers of the program run meanwhile, which may load objects.
thread_local constinit unsigned t_inside __attribute__((tls_model("initial-exec"))) = 0;
thread_local constinit bool t_fork_has_lock __attribute__((tls_model("initial-exec"))) = false;

// In a child: how many objects there were at the fork. 0: none is known, or one was loaded since.
std::atomic<unsigned> g_at_fork{0};
// What dl_iterate_phdr has counted last. A child counts far more, so that it looks at all objects anew, and again when it
// is back at the loader's own count.
constexpr unsigned long long kMoreInChild = 4096;
std::atomic<unsigned long long> g_adds{0};
std::atomic<unsigned long long> g_subs{0};

unsigned count() {
  unsigned objects = 0;
  if (&_r_debug == nullptr) return objects;
  for (const link_map* each = _r_debug.r_map; each != nullptr; each = each->l_next) ++objects;
  return objects;
}

// The kernel reads the word, and does not wait. An object that was being unloaded at the fork is in the list, but gone.
bool is_mapped(const void* address) {
  const int saved = errno;
  const timespec none{};
  syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, 0, &none, nullptr, 0);
  const bool is_gone = errno == EFAULT;
  errno = saved;
  return !is_gone;
}

const ElfW(Ehdr) * header_of(const link_map& object) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(object.l_addr);
  Dl_info info;
  void* unused = nullptr;
  if (header == nullptr) {  // linked for its place
    if (dladdr1(object.l_ld, &info, &unused, RTLD_DL_LINKMAP) == 0) return nullptr;
    header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  }
  const bool is_there = is_mapped(header) && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
  return is_there ? header : nullptr;
}

bool describe(const link_map& object, dl_phdr_info& info) {
  info.dlpi_addr = object.l_addr;
  info.dlpi_name = object.l_name;
  info.dlpi_adds = g_adds.load(std::memory_order_relaxed) + kMoreInChild;
  info.dlpi_subs = g_subs.load(std::memory_order_relaxed);
  if (&object == _r_debug.r_map) {
    info.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    info.dlpi_phnum = static_cast<ElfW(Half)>(getauxval(AT_PHNUM));
    return info.dlpi_phdr != nullptr;
  }
  const ElfW(Ehdr)* header = header_of(object);
  if (header == nullptr) return false;
  info.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(reinterpret_cast<std::uintptr_t>(header) +
                                                       header->e_phoff);
  info.dlpi_phnum = header->e_phnum;
  return true;
}

int visit_unlocked(VisitObject visit, void* data) {
  int result = 0;
  for (const link_map* each = _r_debug.r_map; each != nullptr && result == 0; each = each->l_next) {
    dl_phdr_info info{};
    if (describe(*each, info)) result = visit(&info, sizeof(info), data);
  }
  return result;
}

struct Visit {
  VisitObject visit;
  void* data;
};

int visit_and_note(dl_phdr_info* info, std::size_t size, void* data) {
  g_adds.store(info->dlpi_adds, std::memory_order_relaxed);
  g_subs.store(info->dlpi_subs, std::memory_order_relaxed);
  const Visit& its = *static_cast<Visit*>(data);
  return its.visit(info, size, its.data);
}

}  // namespace

int visit_objects(VisitObject visit, void* data) {
  if (const unsigned at_fork = g_at_fork.load(std::memory_order_relaxed)) [[unlikely]] {
    if (count() <= at_fork) return visit_unlocked(visit, data);
    g_at_fork.store(0, std::memory_order_relaxed);
  }
  const bool is_outermost = t_inside++ == 0;
  if (is_outermost) g_lock.lock();
  Visit its{visit, data};
  const int result = dl_iterate_phdr(visit_and_note, &its);
  if (is_outermost) g_lock.unlock();
  --t_inside;
  return result;
}

void object_list_before_fork() {
  constexpr unsigned kLongestMs = 100;
  t_fork_has_lock = t_inside++ == 0 && g_lock.lock_within(kLongestMs);
}

void object_list_after_fork() {
  --t_inside;
  if (t_fork_has_lock) g_lock.unlock();
  t_fork_has_lock = false;
}

void object_list_after_fork_in_child() {
  --t_inside;
  g_lock.unlock();
  t_fork_has_lock = false;
  g_at_fork.store(count(), std::memory_order_relaxed);
}

}  // namespace muster
