#include "runtime-hooks/objects/relocated_words.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platform/lock.h"
#include "runtime-hooks/objects/dynamic_symbols.h"

namespace muster {
namespace {

Lock g_pages;  // one thread must not end another one's permission to write

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); }

ReadOnlyPart read_only_part_of(const LoadedObject& object) {
  ReadOnlyPart part;
  for_each_object([&](const LoadedObject& each, const dl_phdr_info& info) {
    if (each.begin != object.begin) return false;
    part = read_only_part(info);
    return true;
  });
  return part;
}

}  // namespace

bool ReadOnlyPart::is_protected() const {
  const std::uintptr_t page = begin & ~(page_size() - 1);
  return page >= end || !is_writable(reinterpret_cast<std::uintptr_t*>(page));
}

ReadOnlyPart read_only_part(const dl_phdr_info& info) {
  ReadOnlyPart part;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    part.begin = info.dlpi_addr + segment.p_vaddr;
    part.end = (part.begin + segment.p_memsz) & ~(page_size() - 1);
  }
  return part;
}

bool set_word(std::uintptr_t* word, bool read_only, std::uintptr_t value) {
  if (!read_only) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    return true;
  }
  const Locked locked(g_pages);
  const std::uintptr_t page = page_size();
  void* begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(word) & ~(page - 1));
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  mprotect(begin, page, PROT_READ);
  return true;
}

bool is_writable(std::uintptr_t* word) {
  const int saved = errno;
  std::uint32_t unused = 0;
  constexpr int kAddNothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
  const long answer = syscall(SYS_futex, &unused, FUTEX_WAKE_OP_PRIVATE, 0, 0, word, kAddNothing);
  const bool is_read_only = answer < 0 && errno == EFAULT;
  errno = saved;
  return !is_read_only;
}

void words_after_fork() { g_pages.unlock(); }

unsigned RedirectedSymbol::redirect(const LoadedObject& object, const char* symbol,
                                    const void* function) {
  const DynamicSymbols symbols = dynamic_symbols_of(object);
  if (!symbols.readable()) return 0;
  const ReadOnlyPart read_only = read_only_part_of(object);
  for (int kind = 0; kind < 2; ++kind) {
    if (symbols.references[kind] == nullptr) continue;
    const std::size_t first = kind == 0 ? symbols.without_symbol : 0;
    for (std::size_t i = first; i < symbols.reference_counts[kind] && count_ < kMost; ++i) {
      const ElfW(Rela)& relocation = symbols.references[kind][i];
      const std::size_t which = ELF64_R_SYM(relocation.r_info);
      if (which == 0 || std::strcmp(symbols.name(which), symbol) != 0) continue;
      auto* word = reinterpret_cast<std::uintptr_t*>(object.base + relocation.r_offset);
      const Saved saved{word, *word, read_only.contains(word)};
      if (set_word(word, saved.read_only, reinterpret_cast<std::uintptr_t>(function)))
        saved_[count_++] = saved;
    }
  }
  return count_;
}

void RedirectedSymbol::restore() {
  while (count_ != 0) {
    const Saved& saved = saved_[--count_];
    set_word(saved.word, saved.read_only, saved.value);
  }
}

}  // namespace muster
