#include "runtime-hooks/runtimes/unreached.h"

#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "platform/optional_calls.h"
#include "platform/pages.h"
#include "runtime-hooks/objects/dynamic_symbols.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/objects/process_maps.h"

namespace muster {
namespace {

// Entry points that always resolve to Muster's in the default lookup order.
constexpr const char* kEntriesOfOurs[] = {"GOMP_parallel", "GOMP_barrier", "GOMP_loop_end",
                                          "__kmpc_fork_call", "__kmpc_barrier"};

bool is_entry_of_ours(const char* name) {
  for (const char* entry : kEntriesOfOurs) {
    if (std::strcmp(name, entry) == 0) return true;
  }
  return false;
}

bool has_region_entry(const LoadedObject& object) {
  return defined_by(object, "__kmpc_fork_call") != nullptr ||
         defined_by(object, "GOMP_parallel") != nullptr;
}

RuntimeKind kind_of(const LoadedObject& runtime) {
  if (defined_by(runtime, "__kmpc_fork_call") == nullptr) return RuntimeKind::kLibgomp;
  return std::strstr(runtime.path, "iomp") != nullptr ? RuntimeKind::kLibiomp5
                                                      : RuntimeKind::kLibomp;
}

void path_of(const LoadedObject& object, char* out, std::size_t size) {
  out[0] = '\0';
  if (object.path[0] != '\0') {
    std::snprintf(out, size, "%s", object.path);
  } else if (const ssize_t length = readlink("/proc/self/exe", out, size - 1); length > 0) {
    out[length] = '\0';
  }
}

// The parts of an object's image that are read-only.
struct ReadOnlyParts {
  static constexpr unsigned kMost = 8;
  struct {
    const char* begin;
    std::size_t size;
  } parts[kMost];
  unsigned count = 0;
};

void note_parts(const dl_phdr_info& info, ReadOnlyParts& out) {
  for (int i = 0; i < info.dlpi_phnum && out.count < ReadOnlyParts::kMost; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != PF_R) continue;
    out.parts[out.count++] = {reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr),
                              segment.p_memsz};
  }
}

// Strings that every build of a runtime contains, and that occur together in nothing else.
struct Marks {
  RuntimeKind kind;
  const char* words[2];
};
constexpr Marks kMarks[] = {
    {RuntimeKind::kLibiomp5, {"Intel(R) OMP version: ", "KMP_CPUINFO_FILE"}},
    {RuntimeKind::kLibomp, {"LLVM OMP version: ", "KMP_CPUINFO_FILE"}},
    {RuntimeKind::kLibgomp, {"GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY"}},
};
constexpr std::size_t kMostSearched = std::size_t{64} << 20;  // of one object

bool has(const ReadOnlyParts& image, const char* word) {
  std::size_t left = kMostSearched;
  for (unsigned i = 0; i < image.count; ++i) {
    const auto& part = image.parts[i];
    const std::size_t size = part.size < left ? part.size : left;
    if (memmem(part.begin, size, word, std::strlen(word)) != nullptr) return true;
    left -= size;
  }
  return false;
}

// Whether a runtime is linked into the object: it creates threads and refers to no other runtime's regions.
bool holds_runtime(const LoadedObject& object, RuntimeKind& kind) {
  const DynamicSymbols symbols = dynamic_symbols_of(object);
  if (!reference_to(symbols, "pthread_create").found) return false;
  for (const char* entry : kEntriesOfOurs) {
    if (reference_to(symbols, entry).found) return false;
  }
  ReadOnlyParts image{};
  for_each_object([&](const LoadedObject& candidate, const dl_phdr_info& info) {
    if (candidate.base != object.base) return false;
    note_parts(info, image);
    return true;
  });
  for (const Marks& marks : kMarks) {
    if (!has(image, marks.words[0]) || !has(image, marks.words[1])) continue;
    kind = marks.kind;
    return true;
  }
  return false;
}

// Whether code other than the runtime's was bound to it through Muster.
enum class Callers { kNone, kItself, kOthers };
Callers callers_of(const LoadedObject& runtime) {
  const Runtime* known = runtime_with(reinterpret_cast<const void*>(runtime.begin));
  if (known == nullptr) return Callers::kNone;
  const bool by_others = __atomic_load_n(&known->was_called, __ATOMIC_RELAXED);
  return by_others ? Callers::kOthers : Callers::kItself;
}

// Whether the object calls the runtime directly, by the addresses that the loader has written for its relocations. Lazy
// ones that were never used point back into the object.
bool is_bound_past(const LoadedObject& object, const LoadedObject& runtime) {
  const DynamicSymbols symbols = dynamic_symbols_of(object);
  for (unsigned list = 0; list < 2; ++list) {
    for (std::size_t i = 0; i < symbols.reference_counts[list]; ++i) {
      const ElfW(Rela)& reference = symbols.references[list][i];
      const std::size_t symbol = ELF64_R_SYM(reference.r_info);
      if (symbol == 0 || !is_entry_of_ours(symbols.name(symbol))) continue;
      const void* bound = *reinterpret_cast<void* const*>(object.base + reference.r_offset);
      if (runtime.contains(bound)) return true;
    }
  }
  return false;
}

class Search {
 public:
  explicit Search(Unreached (&out)[kMaxUnreached]) : out_(out) {}

  // For each object of this namespace.
  void look_at(const LoadedObject& object) {
    if (seen_count_ < kMostSeen) seen_[seen_count_++] = object.begin;
    RuntimeKind kind;
    if (has_region_entry(object)) {
      const Callers callers = callers_of(object);
      if (callers == Callers::kOthers) return;
      add(object, WhyUnreached::kNotCalled, kind_of(object));
      calls_itself_[count_ - 1] = callers == Callers::kItself;
    } else if (holds_runtime(object, kind)) {
      add(object, WhyUnreached::kLinkedStatically, kind);
    }
  }

  // For each object again, now that the runtimes are known.
  void look_for_calls_in(const LoadedObject& object) {
    for (unsigned i = 0; i < count_; ++i) {
      Unreached& found = out_[i];
      if (found.why != WhyUnreached::kNotCalled || object.begin == runtimes_[i].begin) continue;
      if (!is_bound_past(object, runtimes_[i])) continue;
      found.why = WhyUnreached::kBoundPast;
      path_of(object, found.object, sizeof(found.object));
    }
  }

  // If calls reach Muster only from inside the runtime, its callers are part of the same object.
  void conclude() {
    for (unsigned i = 0; i < count_; ++i) {
      if (out_[i].why == WhyUnreached::kNotCalled && calls_itself_[i]) {
        out_[i].why = WhyUnreached::kLinkedStatically;
      }
    }
  }

  // A mapped file that the loader does not list may be a runtime in another namespace.
  void look_at_mapped(const LoadedObject& object) {
    if (!has_region_entry(object) || is_muster(object)) return;
    add(object, WhyUnreached::kOtherNamespace, kind_of(object));
  }

  bool has_seen(std::uintptr_t begin) const {
    for (unsigned i = 0; i < seen_count_; ++i) {
      if (seen_[i] == begin) return true;
    }
    return seen_count_ == kMostSeen;  // possibly
  }

  unsigned count() const { return count_; }

 private:
  void add(const LoadedObject& object, WhyUnreached why, RuntimeKind kind) {
    if (count_ == kMaxUnreached) --count_;
    Unreached& found = out_[count_];
    found = Unreached{};
    found.why = why;
    found.kind = kind;
    path_of(object, found.path, sizeof(found.path));
    runtimes_[count_] = object;
    calls_itself_[count_] = false;
    ++count_;
  }

  static constexpr unsigned kMostSeen = 1024;
  Unreached (&out_)[kMaxUnreached];
  LoadedObject runtimes_[kMaxUnreached];
  bool calls_itself_[kMaxUnreached] = {};
  unsigned count_ = 0;
  std::uintptr_t seen_[kMostSeen];
  unsigned seen_count_ = 0;
};

// Copies through the kernel, because the memory may be unmapped meanwhile; and valgrind reports direct reads of its own
// memory as errors.
bool copy_memory(std::uintptr_t from, void* to, std::size_t size) {
  const iovec local{to, size};
  const iovec remote{reinterpret_cast<void*>(from), size};
  return optional_call(SYS_process_vm_readv, getpid(), &local, 1L, &remote, 1L, 0L) ==
         static_cast<long>(size);
}

// A file's consecutive mappings.
struct MappedFile {
  LoadedObject object;
  char path[1024] = {};
  bool executable = false;
  std::size_t readable = 0;  // bytes from its start

  void begins_with(std::uintptr_t begin, std::size_t can_be_read, const char* its_path) {
    *this = MappedFile{};
    object.begin = object.base = begin;
    readable = can_be_read;
    std::snprintf(path, sizeof(path), "%s", its_path);
    object.path = path;
  }

  // Whether it is a shared object as a loader maps it. Sets its dynamic section then.
  bool is_shared_object() {
    if (!executable || readable == 0) return false;
    ElfW(Ehdr) header;
    if (!copy_memory(object.begin, &header, sizeof(header))) return false;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN) return false;
    const std::size_t table = header.e_phnum * sizeof(ElfW(Phdr));
    if (header.e_phoff > readable || table > readable - header.e_phoff) return false;
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(object.begin + header.e_phoff);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      if (segments[i].p_type != PT_DYNAMIC) continue;
      const std::uintptr_t dynamic = object.base + segments[i].p_vaddr;
      if (dynamic < object.end) object.dynamic = reinterpret_cast<const void*>(dynamic);
    }
    return object.dynamic != nullptr;
  }
};

// Objects of other namespaces are not in this namespace's list.
void look_at_other_namespaces(Search& search) {
  static char buffer[8192];
  ProcessMaps maps(buffer, sizeof(buffer));
  MappedFile file;
  const auto ends = [&] {
    if (file.object.path[0] == '\0' || search.has_seen(file.object.begin)) return;
    if (file.is_shared_object()) search.look_at_mapped(file.object);
  };
  for (Mapping mapping; maps.next(mapping);) {
    if (mapping.path[0] == '\0') continue;
    if (mapping.offset == 0 && std::strcmp(mapping.path, file.object.path) != 0) {
      ends();
      const std::size_t size = mapping.end - mapping.begin;
      file.begins_with(mapping.begin, mapping.is_readable ? size : 0, mapping.path);
    }
    if (std::strcmp(mapping.path, file.object.path) != 0) continue;
    file.object.end = mapping.end;
    if (mapping.is_executable) file.executable = true;
  }
  ends();
}

}  // namespace

unsigned find_unreached(Unreached (&out)[kMaxUnreached]) {
  void* pages =
      map_pages(sizeof(Search));  // the thread that ends the process may have a small stack
  if (pages == nullptr) return 0;
  Search& search = *::new (pages) Search(out);
  LoadedObject unused;
  find_object(
      [](const LoadedObject& object, void* data) {
        static_cast<Search*>(data)->look_at(object);
        return false;
      },
      &search, unused);
  if (search.count() > 0) {
    find_object(
        [](const LoadedObject& object, void* data) {
          static_cast<Search*>(data)->look_for_calls_in(object);
          return false;
        },
        &search, unused);
  }
  search.conclude();
  look_at_other_namespaces(search);
  const unsigned count = search.count();
  unmap_pages(pages, sizeof(Search));
  return count;
}

}  // namespace muster
