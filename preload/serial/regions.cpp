// Parallel regions, leagues and target regions: their function is called by the only thread of the team.
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "platform/pages.h"
#include "preload/serial/functions.h"
#include "preload/serial/region.h"
#include "runtime-hooks/runtimes/region_body.h"

namespace muster::serial {
namespace {

thread_local constinit Region t_outermost __attribute__((tls_model("initial-exec")));
thread_local constinit Region* t_region __attribute__((tls_model("initial-exec"))) = nullptr;

// gcc's map kinds (gomp-constants.h): the kind in the low byte, above it the binary logarithm of the alignment.
constexpr unsigned kMapFirstprivate = 12;

bool is_firstprivate(const void* address, unsigned kind) {
  return address != nullptr && (kind & 0xFF) == kMapFirstprivate;
}

std::size_t aligned(std::size_t bytes, unsigned kind) {
  const std::size_t alignment = std::size_t{1} << (kind >> 8);
  return (bytes + alignment - 1) & ~(alignment - 1);
}

void call(abi::Microtask function, void* const* arguments, std::int32_t count) {
  const RegionScope scope;
  abi::GlobalThread global = 0;
  std::int32_t bound = 0;
  call_kmpc(function, &global, &bound, arguments, count);
}

}  // namespace

Region& region() { return t_region != nullptr ? *t_region : t_outermost; }

RegionScope::RegionScope() {
  region_.outer = t_region;
  t_region = &region_;
}

RegionScope::~RegionScope() {
  wait_for_events();
  construct_end();
  t_region = region_.outer;
}

// Regions that are opened by one call and closed by another.
void open_region() {
  void* pages = map_pages(sizeof(Region));
  if (pages == nullptr) return;  // the outer region serves: their constructs hardly ever overlap
  auto* opened = ::new (pages) Region;
  opened->outer = t_region;
  t_region = opened;
}

void close_region() {
  wait_for_events();
  construct_end();
  Region* closed = t_region;
  if (closed == nullptr) return;
  t_region = closed->outer;
  unmap_pages(closed, sizeof(Region));
}

void kmpc_fork(abi::Ident*, std::int32_t count, abi::Microtask function, ...) {
  auto** const arguments =
      static_cast<void**>(__builtin_alloca(sizeof(void*) * static_cast<std::size_t>(count + 1)));
  va_list list;
  va_start(list, function);
  for (std::int32_t i = 0; i < count; ++i) arguments[i] = va_arg(list, void*);
  va_end(list);
  call(function, arguments, count);
}

void kmpc_fork_if(abi::Ident*, std::int32_t, abi::Microtask function, std::int32_t,
                  void* argument) {
  call(function, &argument, argument != nullptr ? 1 : 0);
}

void gomp_parallel(abi::GompRegion function, void* data) {
  const RegionScope scope;
  function(data);
}

unsigned gomp_parallel_reductions(abi::GompRegion function, void* data) {
  reduction_register(*static_cast<Words*>(data));
  gomp_parallel(function, data);
  return 1;
}

void gomp_parallel_loop(abi::GompRegion function, void* data, unsigned, long begin, long end,
                        long step) {
  const RegionScope scope;
  long first = 0;
  long last = 0;
  region().has_share = loop_start(begin, end, step, 0, &first, &last);
  region().begin = static_cast<std::uint64_t>(first);
  region().end = static_cast<std::uint64_t>(last);
  function(data);
}

// The program calls the function itself.
void gomp_parallel_loop_start(abi::GompRegion, void*, unsigned, long begin, long end, long step) {
  open_region();
  long first = 0;
  long last = 0;
  region().has_share = loop_start(begin, end, step, 0, &first, &last);
  region().begin = static_cast<std::uint64_t>(first);
  region().end = static_cast<std::uint64_t>(last);
}

void gomp_parallel_sections(abi::GompRegion function, void* data, unsigned, unsigned count) {
  const RegionScope scope;
  region().sections = count;
  function(data);
}

void gomp_parallel_sections_start(abi::GompRegion, void*, unsigned, unsigned count) {
  open_region();
  region().section = 0;
  region().sections = count;
}

void gomp_target(int, abi::GompRegion function, const void*, std::size_t, void** addresses) {
  const RegionScope scope;
  function(addresses);
}

// Host and device share the variables, except firstprivate ones.
void gomp_target_ext(int, abi::GompRegion function, std::size_t count, void** addresses,
                     const std::size_t* sizes, const unsigned short* kinds) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_firstprivate(addresses[i], kinds[i])) bytes = aligned(bytes, kinds[i]) + sizes[i];
  }
  auto* copies = bytes != 0 ? static_cast<char*>(map_pages(bytes)) : nullptr;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count && copies != nullptr; ++i) {
    if (!is_firstprivate(addresses[i], kinds[i])) continue;
    at = aligned(at, kinds[i]);
    addresses[i] = std::memcpy(copies + at, addresses[i], sizes[i]);
    at += sizes[i];
  }
  {
    const RegionScope scope;
    function(addresses);
  }
  unmap_pages(copies, bytes);
}

bool gomp_teams4(unsigned, unsigned, unsigned, bool first) { return first; }

// The `error` directive. With severity fatal it ends the program, as the runtimes do.
void kmpc_error(abi::Ident*, int severity, const char* text) {
  constexpr int kFatal = 2;
  dprintf(STDERR_FILENO, "OMP: %s: %s\n", severity == kFatal ? "Error" : "Warning",
          text != nullptr ? text : "");
  if (severity == kFatal) std::exit(1);
}

}  // namespace muster::serial
