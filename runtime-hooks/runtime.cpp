#include "runtime-hooks/runtime.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime-hooks/loaded_objects.h"
#include "runtime-hooks/lock.h"
#include "runtime-hooks/thread_state.h"
#include "runtime-hooks/why_not_replaced.h"

namespace muster {

Binding g_bindings[kMaxBindings];
std::atomic<unsigned> g_binding_count{0};

namespace {

Lock g_lock;
Runtime g_runtimes[kMaxRuntimes];
Runtime* g_runtime_list[kMaxRuntimes];
std::atomic<unsigned> g_runtime_count{0};
RuntimeObserver g_observer = nullptr;
BindingObserver g_binding_observer = nullptr;
bool g_on = true;

RuntimeKind kind_of(const Runtime& runtime) {
  if (runtime.real.__kmpc_fork_call == nullptr) return RuntimeKind::kLibgomp;
  const char* slash = std::strrchr(runtime.object.path, '/');
  return std::strstr(slash != nullptr ? slash : runtime.object.path, "iomp") != nullptr
             ? RuntimeKind::kLibiomp5
             : RuntimeKind::kLibomp;
}

bool makes_a_runtime(const LoadedObject& object) {
  return defined_by(object, "__kmpc_fork_call") != nullptr ||
         defined_by(object, "GOMP_parallel") != nullptr;
}

void fill(Runtime& runtime, const LoadedObject& object) {
  runtime.object = object;
#define MUSTER_RESOLVE(result, name, parameters) \
  runtime.real.name = reinterpret_cast<result(*) parameters>(defined_by(object, #name));
  MUSTER_REAL_FUNCTIONS(MUSTER_RESOLVE)
#undef MUSTER_RESOLVE
  runtime.kind = kind_of(runtime);
  runtime.replaced = !why_not_replaced(runtime, runtime.reason);
  runtime.reductions = reduction_rules();
}

Runtime* known_runtime(const LoadedObject& object) {
  const unsigned count = g_runtime_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    const LoadedObject& known = g_runtimes[i].object;
    if (known.begin == object.begin && known.end == object.end) return &g_runtimes[i];
  }
  return nullptr;
}

// The loader's locks and the runtime's are taken while a runtime is looked at, and whoever holds
// those may come here: so none of ours is held. Of two threads that find the same runtime at once, one
// is believed.
Runtime* runtime_at(const LoadedObject& object) {
  if (Runtime* known = known_runtime(object)) return known;
  Runtime found;
  fill(found, object);
  Runtime* runtime = nullptr;
  {
    const Locked locked(g_lock);
    if (Runtime* known = known_runtime(object)) return known;
    const unsigned count = g_runtime_count.load(std::memory_order_relaxed);
    if (count == kMaxRuntimes) return nullptr;
    runtime = &g_runtimes[count];
    *runtime = found;
    g_runtime_list[count] = runtime;
    g_runtime_count.store(count + 1, std::memory_order_release);
  }
  if (g_observer != nullptr) g_observer(*runtime);
  return runtime;
}

void publish(const Binding& binding) {
  const Locked locked(g_lock);
  const auto* inside = reinterpret_cast<const void*>(binding.begin);
  if (known_binding(inside, binding.gomp) != nullptr) return;
  const unsigned count = g_binding_count.load(std::memory_order_relaxed);
  if (count == kMaxBindings) return;
  g_bindings[count] = binding;
  g_binding_count.store(count + 1, std::memory_order_release);
}

Binding bind(const void* caller, const char* symbol) {
  if (Runtime* runtime = runtime_with(caller)) {  // it calls a function of its own
    const Binding binding{runtime->object.begin, runtime->object.end, is_gomp(symbol), runtime};
    publish(binding);
    return binding;
  }
  const LoadedObject object = object_of(caller);
  // A region's function that ends in a call of ours may have jumped there: then its own frame is
  // gone and the return address is that of Muster's wrapper around the region.
  if (is_muster(object)) {
    if (Runtime* runtime = runtime_of_region()) {
      return {object.begin, object.end, is_gomp(symbol), runtime};
    }
  }
  void* real = nullptr;
  if (!is_muster(object)) real = defined_by(object, symbol);  // a runtime's first call of its own
  if (real == nullptr) real = address_without_muster(object, symbol);
  Runtime* runtime = real != nullptr ? runtime_at(object_of(real)) : nullptr;
  if (runtime == nullptr) nobody_has(symbol);
  const Binding binding{object.begin, object.end, is_gomp(symbol), runtime};
  if (object.found()) {
    if (g_binding_observer != nullptr) g_binding_observer(object);
    publish(binding);
  }
  return binding;
}

}  // namespace

Runtime* runtime_of_region() {
  const ThreadState* state = t_thread_state;
  return state != nullptr && state->top != nullptr ? state->top->runtime : nullptr;
}

void nobody_has(const char* symbol) {
  dprintf(STDERR_FILENO,
          "muster: symbol lookup error: undefined symbol: %s (no OpenMP runtime of this "
          "process has it)\n",
          symbol);
  _exit(127);
}

Binding binding_of(const void* caller, const char* symbol) {
  if (const Binding* known = known_binding(caller, is_gomp(symbol))) [[likely]]
    return *known;
  const int saved = errno;
  const Binding binding = bind(caller, symbol);
  errno = saved;
  return binding;
}

Runtime* runtime_with(const void* address) {
  const unsigned count = g_runtime_count.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    if (g_runtimes[i].contains(address)) return &g_runtimes[i];
  }
  return nullptr;
}

void* own_function(const Runtime& runtime, const char* symbol) {
  return defined_by(runtime.object, symbol);
}

unsigned known_runtimes(Runtime* const** list) {
  *list = g_runtime_list;
  return g_runtime_count.load(std::memory_order_acquire);
}

bool is_of_runtime(const void* function) {
  if (function == nullptr) return false;
  if (runtime_with(function) != nullptr) return true;
  const LoadedObject object = object_of(function);
  return object.found() && makes_a_runtime(object);
}

void observe_bindings(BindingObserver observer) { g_binding_observer = observer; }

void observe_runtimes(RuntimeObserver observer) { g_observer = observer; }

void switch_runtimes(bool on) { g_on = on; }
bool runtimes_switched_on() { return g_on; }

void runtimes_after_fork() { g_lock.unlock(); }

}  // namespace muster
