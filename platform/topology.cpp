#include "platform/topology.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <pthread.h>

#include <atomic>

#include "platform/optional_calls.h"

namespace muster {
namespace {

// The functions that are used, from the opened library.
struct Hwloc {
  void* library = nullptr;
  decltype(&hwloc_topology_init) init = nullptr;
  decltype(&hwloc_topology_load) load = nullptr;
  decltype(&hwloc_topology_destroy) destroy = nullptr;
  decltype(&hwloc_topology_get_depth) depth = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) count = nullptr;
  decltype(&hwloc_get_obj_by_depth) object = nullptr;

  bool open() {
    library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find(init, "hwloc_topology_init") &&
           find(load, "hwloc_topology_load") && find(destroy, "hwloc_topology_destroy") &&
           find(depth, "hwloc_topology_get_depth") && find(count, "hwloc_get_nbobjs_by_depth") &&
           find(object, "hwloc_get_obj_by_depth");
  }

 private:
  template <class Function>
  bool find(Function& out, const char* name) {
    out = reinterpret_cast<Function>(dlsym(library, name));
    return out != nullptr;
  }
};

bool is_cache(hwloc_obj_type_t type) {
  return type >= HWLOC_OBJ_L1CACHE && type <= HWLOC_OBJ_L5CACHE;
}

void read_shape(const Hwloc& hwloc, hwloc_topology_t handle, Topology& out) {
  const int depth = hwloc.depth(handle);
  for (int level = depth - 1; level > 0 && out.levels < kTopologyLevels; --level) {
    const unsigned below = hwloc.count(handle, level);
    const unsigned above = hwloc.count(handle, level - 1);
    if (above > 0 && below > above) out.arity[out.levels++] = (below + above - 1) / above;
  }
  for (int level = 0; level < depth; ++level) {
    hwloc_obj_t object = hwloc.object(handle, level, 0);
    if (object == nullptr || !is_cache(object->type) || object->attr == nullptr) continue;
    if (object->attr->cache.linesize > out.cache_line)
      out.cache_line = object->attr->cache.linesize;
  }
  out.source = "hwloc";
}

Topology g_topology;
std::atomic<bool> g_loaded{false};

void load_topology() {
  Hwloc hwloc;
  const OptionalCalls calls;
  if (!calls.allow_all()) {
    g_topology.source = "not read: a seccomp filter";
    return;
  }
  if (!hwloc.open()) {
    g_topology.source = "libhwloc.so.15 not found";
    return;
  }
  hwloc_topology_t handle = nullptr;
  if (hwloc.init(&handle) != 0) {
    g_topology.source = "hwloc failed";
    return;
  }
  if (hwloc.load(handle) == 0) {
    read_shape(hwloc, handle, g_topology);
  } else {
    g_topology.source = "hwloc failed";
  }
  hwloc.destroy(handle);
  // The library stays open: closing it would run its destructors while the host may still use it.
}

}  // namespace

const Topology& topology() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] {
    load_topology();
    g_loaded.store(true, std::memory_order_release);
  });
  return g_topology;
}

const Topology* topology_if_loaded() {
  return g_loaded.load(std::memory_order_acquire) ? &g_topology : nullptr;
}

}  // namespace muster
