#include "runtime-hooks/runtimes/runtime.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "options/settings.h"
#include "platform/lock.h"
#include "platform/pages.h"
#include "platform/place_for.h"
#include "runtime-hooks/objects/loaded_objects.h"
#include "runtime-hooks/runtimes/loop_rules.h"
#include "runtime-hooks/runtimes/runtime_call.h"
#include "runtime-hooks/runtimes/spin_count.h"
#include "runtime-hooks/runtimes/thunk_banks.h"
#include "runtime-hooks/runtimes/why_not_replaced.h"

namespace muster {

constinit AddressCache<Binding, 4096> g_bindings;

thread_local constinit unsigned t_runtime_calls __attribute__((tls_model("initial-exec"))) = 0;

thread_local constinit std::uint8_t t_muster_bank
    __attribute__((tls_model("initial-exec"), visibility("hidden"))) = 0;

namespace {

Lock g_lock;
unsigned g_loads = 0;

// All runtimes that are loaded, and some that were. Entries are never removed, because threads keep pointers to them;
// readers take no lock.
constexpr unsigned kFirstRuntimes = 16;
PlaceFor<Runtime> g_first_runtimes[kFirstRuntimes];
Runtime* g_first_list[kFirstRuntimes];
std::atomic<Runtime**> g_runtime_list{g_first_list};
std::atomic<unsigned> g_runtime_count{0};
unsigned g_list_size = kFirstRuntimes;
RuntimeObserver g_observer = nullptr;
BindingObserver g_binding_observer = [](const LoadedObject&, const Runtime&, bool) {};
bool g_on = true;
RuntimeOfRegion g_runtime_of_region = nullptr;
LoadedObject g_bank_runtimes[kThunkBanks + 1];

RuntimeKind kind_of(const Runtime& runtime) {
  if (runtime.real.__kmpc_fork_call == nullptr) return RuntimeKind::kLibgomp;
  const char* slash = std::strrchr(runtime.object.path, '/');
  return std::strstr(slash != nullptr ? slash : runtime.object.path, "iomp") != nullptr
             ? RuntimeKind::kLibiomp5
             : RuntimeKind::kLibomp;
}

// A tool that was preloaded after Muster and wraps some of the runtime's functions is called as it would be without
// Muster. Queries of Muster's own go to the runtime itself.
class Tool {
 public:
  explicit Tool(const LoadedObject& runtime) : runtime_(runtime) {}

  template <class Function>
  void stand_in(Function& function, const char* name) {
    if (function == nullptr) return;
    void* next = next_at_start(name);
    if (next == nullptr || runtime_.contains(next) || is_whole_runtime(object_of(next))) return;
    if (is_before_runtime()) function = reinterpret_cast<Function>(next);
  }

 private:
  // The loader is called only if there is such a tool.
  bool is_before_runtime() {
    if (is_before_ == Answer::kNotAsked) {
      const bool is_before = runtime_.contains(dlsym(RTLD_NEXT, "omp_get_wtick"));
      is_before_ = is_before ? Answer::kYes : Answer::kNo;
    }
    return is_before_ == Answer::kYes;
  }

  enum class Answer { kNotAsked, kYes, kNo };
  const LoadedObject& runtime_;
  Answer is_before_ = Answer::kNotAsked;
};

void fill(Runtime& runtime, const LoadedObject& object) {
  runtime.object = object;
  std::strncpy(runtime.path, object.path, sizeof(runtime.path) - 1);
  runtime.stays = stays_for_ever(object);
  register_exit_handler();
#define MUSTER_RESOLVE(result, name, parameters) \
  runtime.real.name = reinterpret_cast<result(*) parameters>(defined_by(object, #name));
  MUSTER_REAL_FUNCTIONS(MUSTER_RESOLVE)
  Tool tool(object);
#define MUSTER_STAND_IN(result, name, parameters) tool.stand_in(runtime.real.name, #name);
  MUSTER_REAL_FUNCTIONS(MUSTER_STAND_IN)
#undef MUSTER_STAND_IN
  MUSTER_QUERY_FUNCTIONS(MUSTER_RESOLVE)
#undef MUSTER_RESOLVE
  runtime.kind = kind_of(runtime);
  runtime.reason = why_not_replaced(runtime, runtime.observed);
  runtime.replaced = runtime.reason == PassReason::kNone;
  runtime.reductions = reduction_rules();
  runtime.computes_loops = loops_are_arithmetic(runtime);
  const bool may_shorten = runtime.kind == RuntimeKind::kLibgomp && runtime.replaced &&
                           settings().yield != YieldKind::kNative;
  if (may_shorten) runtime.shortened_spins = spin_count_of(object);
}

void shorten_spins(const Runtime& runtime) {
  if (runtime.shortened_spins != nullptr)
    __atomic_store_n(runtime.shortened_spins, kShortSpins, __ATOMIC_RELAXED);
}

template <class Accept>
Runtime* find_runtime(Accept accept) {
  const unsigned count = g_runtime_count.load(std::memory_order_acquire);
  Runtime** list = g_runtime_list.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    if (accept(*list[i])) return list[i];
  }
  return nullptr;
}

bool is_gone(const Runtime& runtime) { return runtime.is_still(0); }

Runtime* known_runtime(const LoadedObject& object) {
  return find_runtime([&](const Runtime& known) {
    return !is_gone(known) && known.object.begin == object.begin && known.object.end == object.end;
  });
}

// An object's range is read without a lock, so an entry keeps the range that it was made with.
bool was_there(const Runtime& known, const LoadedObject& object) {
  return is_gone(known) && known.object.begin == object.begin &&
         known.object.size_before == object.end - object.begin &&
         std::strcmp(known.object.path, object.path) == 0;
}

Runtime* make_entry(const Runtime& found) {
  static unsigned made = 0;
  void* place =
      made < kFirstRuntimes ? g_first_runtimes[made++].place() : map_pages(sizeof(Runtime));
  if (place == nullptr) return nullptr;
  auto* runtime = ::new (place) Runtime(found);
  runtime->object.path = runtime->path;
  return runtime;
}

bool make_longer_list(unsigned count) {
  auto** longer = static_cast<Runtime**>(map_pages(2 * g_list_size * sizeof(Runtime*)));
  if (longer == nullptr) return false;
  std::memcpy(longer, g_runtime_list.load(std::memory_order_relaxed), count * sizeof(Runtime*));
  g_runtime_list.store(longer, std::memory_order_release);  // readers may still use the old one
  g_list_size *= 2;
  return true;
}

Runtime* add_entry(const Runtime& found) {
  const unsigned count = g_runtime_count.load(std::memory_order_relaxed);
  if (count == g_list_size && !make_longer_list(count)) return nullptr;
  Runtime* runtime = make_entry(found);
  if (runtime == nullptr) return nullptr;
  g_runtime_list.load(std::memory_order_relaxed)[count] = runtime;
  g_runtime_count.store(count + 1, std::memory_order_release);
  return runtime;
}

Runtime* enter(Runtime& found) {
  Runtime* runtime =
      find_runtime([&](const Runtime& known) { return was_there(known, found.object); });
  if (runtime == nullptr) return add_entry(found);
  const unsigned load = found.load;
  found.load = 0;
  found.credited_arrivals =
      std::atomic_ref(runtime->credited_arrivals).load(std::memory_order_relaxed);
  *runtime = found;
  runtime->object.path = runtime->path;
  __atomic_store_n(&runtime->load, load, __ATOMIC_RELEASE);
  return runtime;
}

// Reading a runtime takes locks of the loader and of the runtime, whose holders may come here: so none of Muster's is
// held meanwhile. If two threads find the same runtime at once, the first entry is used.
Runtime* look_at(Runtime& found, const LoadedObject& object) {
  fill(found, object);
  Runtime* runtime = nullptr;
  {
    const Locked locked(g_lock);
    if (Runtime* known = known_runtime(object)) return known;
    found.load = ++g_loads;
    runtime = enter(found);
    if (runtime != nullptr) shorten_spins(*runtime);
  }
  if (runtime != nullptr && g_observer != nullptr) g_observer(*runtime);
  return runtime;
}

__attribute__((noinline)) Runtime* look_at_on_stack(const LoadedObject& object) {
  Runtime found;
  return look_at(found, object);
}

// A Runtime has nearly 3 KB, for which a stack may be too small.
Runtime* runtime_at(const LoadedObject& object) {
  if (Runtime* known = known_runtime(object)) return known;
  void* pages = map_pages(sizeof(Runtime));
  if (pages == nullptr) return look_at_on_stack(object);
  Runtime* runtime = look_at(*::new (pages) Runtime(), object);
  unmap_pages(pages, sizeof(Runtime));
  return runtime;
}

void publish(const Binding& binding) {
  if (binding.begin != binding.runtime->object.begin) {
    __atomic_store_n(&binding.runtime->was_called, true, __ATOMIC_RELAXED);
  }
  const Locked locked(g_lock);  // the cache adds one entry at a time and would drop this one
  g_bindings.add(binding);
}

// The object of a function to which the caller is bound; if that is a tool, the runtime behind it.
LoadedObject runtime_behind(const LoadedObject& caller, void* function) {
  const LoadedObject object = object_of(function);
  if (is_whole_runtime(object)) return object;
  void* mark = address_without_muster(caller, "omp_get_wtick");
  const LoadedObject other = mark != nullptr ? object_of(mark) : LoadedObject{};
  return other.found() && is_whole_runtime(other) ? other : object;
}

// All callers of a bank have one binding.
Binding bind_bank(unsigned bank, bool gomp) {
  const LoadedObject object = runtime_of_bank(bank);
  const auto at = [](unsigned number) {
    return reinterpret_cast<std::uintptr_t>(in_bank(number, nullptr));
  };
  Runtime* runtime = object.found() ? runtime_at(object) : nullptr;
  if (runtime == nullptr) return {at(bank), at(bank + 1), gomp, &no_runtime()};
  const Binding binding{at(bank), at(bank + 1), gomp, runtime};
  publish(binding);
  return binding;
}

Binding bind(const void* caller, const char* symbol) {
  if (const unsigned bank = bank_of(caller)) return bind_bank(bank, is_gomp(symbol));
  if (Runtime* runtime = runtime_with(caller)) {  // it calls itself
    const Binding binding{runtime->object.begin, runtime->object.end, is_gomp(symbol), runtime};
    publish(binding);
    return binding;
  }
  const LoadedObject object = object_of(caller);
  // A region's function may end with a tail call: then its frame is gone, and the return address is in Muster's wrapper
  // around the region.
  if (is_muster(object)) {
    if (Runtime* runtime = runtime_of_region()) {
      return {object.begin, object.end, is_gomp(symbol), runtime};
    }
  }
  void* real = nullptr;
  if (!is_muster(object)) real = defined_by(object, symbol);  // a runtime's first call of itself
  if (real != nullptr && goes_before_muster(object, symbol)) real = nullptr;
  // A runtime that is linked statically into its caller, perhaps in part, is no tool.
  const bool calls_itself = real != nullptr;
  if (real == nullptr) real = address_without_muster(object, symbol);
  Runtime* runtime = nullptr;
  if (real != nullptr) runtime = runtime_at(calls_itself ? object : runtime_behind(object, real));
  if (runtime == nullptr) return {object.begin, object.end, is_gomp(symbol), &no_runtime()};
  const Binding binding{object.begin, object.end, is_gomp(symbol), runtime};
  if (object.found()) {
    g_binding_observer(object, *runtime, binding.gomp);
    publish(binding);
  }
  return binding;
}

}  // namespace

std::atomic<std::uint64_t> g_calls_looked_up{0};

LoadedObject runtime_of_bank(unsigned bank) { return g_bank_runtimes[bank]; }
void give_bank(unsigned bank, const LoadedObject& runtime) { g_bank_runtimes[bank] = runtime; }

void threads_know_their_region(RuntimeOfRegion runtime_of) { g_runtime_of_region = runtime_of; }
bool threads_know_their_region() { return g_runtime_of_region != nullptr; }

Runtime* runtime_of_region() {
  return g_runtime_of_region != nullptr ? g_runtime_of_region() : nullptr;
}

Runtime& no_runtime() {
  static constinit Runtime nobody;
  return nobody;
}

void give_functions(FunctionWithoutRuntime function_of) {
  Runtime& nobody = no_runtime();
  nobody.reason = PassReason::kUnknownFrame;
#define MUSTER_GIVE(result, name, parameters) \
  nobody.real.name = reinterpret_cast<result(*) parameters>(function_of(#name));
  MUSTER_REAL_FUNCTIONS(MUSTER_GIVE)
#undef MUSTER_GIVE
}

Binding binding_of(const void* caller, const char* symbol) {
  if (const Binding* known = known_binding(caller, is_gomp(symbol))) [[likely]]
    return *known;
  const int saved = errno;
  look_for_unloaded();
  const Binding binding = bind(caller, symbol);
  errno = saved;
  return binding;
}

Runtime* runtime_with(const void* address) {
  return find_runtime([&](const Runtime& known) { return known.contains(address); });
}

void restore_spins(Runtime& runtime) {
  const Locked locked(g_lock);  // another thread may be about to shorten them
  std::uint64_t* const spins =
      __atomic_exchange_n(&runtime.shortened_spins, nullptr, __ATOMIC_RELAXED);
  if (spins != nullptr) __atomic_store_n(spins, kDefaultSpins, __ATOMIC_RELAXED);
}

void* definition_in(const Runtime& runtime, const char* symbol) {
  return defined_by(runtime.object, symbol);
}

unsigned known_runtimes(Runtime* const** list) {
  const unsigned count = g_runtime_count.load(std::memory_order_acquire);
  *list = g_runtime_list.load(std::memory_order_acquire);
  return count;
}

bool is_of_runtime(const void* function) {
  if (function == nullptr) return false;
  if (runtime_with(function) != nullptr) return true;
  const LoadedObject object = object_of(function);
  return object.found() && is_whole_runtime(object);
}

void observe_bindings(BindingObserver observer) { g_binding_observer = observer; }

void observe_runtimes(RuntimeObserver observer) { g_observer = observer; }

void switch_runtimes(bool on) { g_on = on; }
bool runtimes_switched_on() { return g_on; }

void forget_runtimes(const Gone& gone) {
  const Locked locked(g_lock);
  find_runtime([&](Runtime& runtime) {
    if (is_gone(runtime) || !gone(runtime.object.begin)) return false;
    runtime.object.size_before = runtime.object.end - runtime.object.begin;
    __atomic_store_n(&runtime.shortened_spins, nullptr, __ATOMIC_RELAXED);
    __atomic_store_n(&runtime.load, 0U, __ATOMIC_RELEASE);
    __atomic_store_n(&runtime.object.end, runtime.object.begin, __ATOMIC_RELEASE);
    return false;
  });
  g_bindings.forget([&](const Binding& binding) {
    const bool is_bank = bank_of(reinterpret_cast<const void*>(binding.begin)) != 0;
    return (!is_bank && gone(binding.begin)) || is_gone(*binding.runtime);
  });
  for (LoadedObject& object : g_bank_runtimes) {
    if (object.found() && gone(object.begin)) object = {};
  }
}

void runtimes_after_fork() {
  g_lock.unlock();
  g_bindings.after_fork_in_child();
}

}  // namespace muster
