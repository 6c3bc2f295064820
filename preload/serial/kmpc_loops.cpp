// clang's worksharing loops: the only thread gets all iterations at once.
#include <type_traits>

#include "preload/serial/functions.h"
#include "preload/serial/region.h"

namespace muster::serial {
namespace {

template <class T>
bool has_iterations(T lower, T upper, std::int64_t step) {
  return step > 0 ? lower <= upper : lower >= upper;
}

void set(std::int32_t* last, bool value) {
  if (last != nullptr) *last = value ? 1 : 0;
}

}  // namespace

// The bounds remain unchanged. Adding the stride leads beyond them.
template <class T>
void KmpcLoop<T>::static_init(abi::Ident*, abi::GlobalThread, std::int32_t, std::int32_t* last,
                              T* lower, T* upper, Signed* stride, Signed step) {
  const bool any = has_iterations(*lower, *upper, step);
  set(last, any);
  if (stride == nullptr) return;
  using Unsigned = std::make_unsigned_t<T>;
  const Unsigned distance = static_cast<Unsigned>(*upper) - static_cast<Unsigned>(*lower);
  *stride = any ? static_cast<Signed>(distance + (step > 0 ? 1U : ~Unsigned{0})) : step;
}

template <class T>
void KmpcLoop<T>::dist_static_init(abi::Ident* where, abi::GlobalThread thread,
                                   std::int32_t schedule, std::int32_t* last, T* lower, T* upper,
                                   T* whole_upper, Signed* stride, Signed step) {
  *whole_upper = *upper;
  static_init(where, thread, schedule, last, lower, upper, stride, step);
}

template <class T>
void KmpcLoop<T>::team_static_init(abi::Ident* where, abi::GlobalThread thread, std::int32_t* last,
                                   T* lower, T* upper, Signed* stride, Signed step) {
  static_init(where, thread, 0, last, lower, upper, stride, step);
}

template <class T>
void KmpcLoop<T>::dispatch_init(abi::Ident*, abi::GlobalThread, std::int32_t, T lower, T upper,
                                Signed step) {
  Region& here = region();
  here.has_share = has_iterations(lower, upper, step);
  here.begin = static_cast<std::uint64_t>(lower);
  here.end = static_cast<std::uint64_t>(upper);
  here.step = step;
}

template <class T>
void KmpcLoop<T>::dist_dispatch_init(abi::Ident* where, abi::GlobalThread thread,
                                     std::int32_t schedule, std::int32_t* last, T lower, T upper,
                                     Signed step) {
  dispatch_init(where, thread, schedule, lower, upper, step);
  set(last, region().has_share);
}

template <class T>
std::int32_t KmpcLoop<T>::dispatch_next(abi::Ident*, abi::GlobalThread, std::int32_t* last,
                                        T* lower, T* upper, Signed* step) {
  Region& here = region();
  if (!here.has_share) return 0;
  here.has_share = false;
  set(last, true);
  *lower = static_cast<T>(here.begin);
  *upper = static_cast<T>(here.end);
  if (step != nullptr) *step = static_cast<Signed>(here.step);
  return 1;
}

template struct KmpcLoop<std::int32_t>;
template struct KmpcLoop<std::uint32_t>;
template struct KmpcLoop<std::int64_t>;
template struct KmpcLoop<std::uint64_t>;

std::int32_t kmpc_sections_init() {
  region().section = 0;
  return 0;
}

std::int32_t kmpc_next_section(abi::Ident*, abi::GlobalThread, std::int32_t count) {
  unsigned& section = region().section;
  return section < static_cast<unsigned>(count) ? static_cast<std::int32_t>(section++) : count;
}

}  // namespace muster::serial
