// Threadprivate variables of code compiled by clang with -fnoopenmp-use-tls. The initial thread uses the variable
// itself, each other thread a copy of its initial contents.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "platform/lock.h"
#include "platform/pages.h"
#include "preload/serial/functions.h"

namespace muster::serial {
namespace {

using Construct = void* (*)(void*);
using ConstructVector = void* (*)(void*, std::size_t);

struct Variable {
  const void* data;
  std::size_t bytes;  // of the initial contents; 0: not saved yet
  void* contents;
  Construct construct;
  ConstructVector construct_vector;
  std::size_t count;
  Variable* next;
};

struct Copy {
  const void* data;
  void* copy;
  Copy* next;
};

Lock g_lock;
Variable* g_variables = nullptr;
thread_local constinit Copy* t_copies __attribute__((tls_model("initial-exec"))) = nullptr;

template <class T>
T* make(const T& value) {
  void* pages = map_pages(sizeof(T));
  return pages != nullptr ? ::new (pages) T(value) : nullptr;
}

// Under the lock.
Variable* variable(const void* data) {
  Variable* found = g_variables;
  while (found != nullptr && found->data != data) found = found->next;
  if (found != nullptr) return found;
  found = make(Variable{data, 0, nullptr, nullptr, nullptr, 0, g_variables});
  if (found != nullptr) g_variables = found;
  return found;
}

bool is_initial_thread() { return syscall(SYS_gettid) == getpid(); }

void fill(const Variable& from, void* copy) {
  if (from.construct != nullptr) {
    from.construct(copy);
  } else if (from.construct_vector != nullptr) {
    from.construct_vector(copy, from.count);
  } else if (from.contents != nullptr) {
    std::memcpy(copy, from.contents, from.bytes);
  }
}

}  // namespace

void threadprivate_register(abi::Ident*, void* data, Construct construct) {
  const Locked locked(g_lock);
  if (Variable* registered = variable(data)) registered->construct = construct;
}

void threadprivate_register_vector(abi::Ident*, void* data, ConstructVector construct, void*, void*,
                                   std::size_t count) {
  const Locked locked(g_lock);
  if (Variable* registered = variable(data)) {
    registered->construct_vector = construct;
    registered->count = count;
  }
}

void* threadprivate(abi::Ident*, abi::GlobalThread, void* data, std::size_t bytes) {
  for (const Copy* own = t_copies; own != nullptr; own = own->next) {
    if (own->data == data) return own->copy;
  }
  Variable its{};
  {
    const Locked locked(g_lock);
    Variable* found = variable(data);
    if (found == nullptr) return data;
    if (found->contents == nullptr) {
      found->contents = map_pages(bytes);
      found->bytes = bytes;
      if (found->contents != nullptr) std::memcpy(found->contents, data, bytes);
    }
    its = *found;
  }
  void* copy = data;
  if (!is_initial_thread()) {
    copy = map_pages(bytes);
    if (copy == nullptr) return data;
    fill(its, copy);
  }
  if (Copy* own = make(Copy{data, copy, t_copies})) t_copies = own;
  return copy;
}

}  // namespace muster::serial
