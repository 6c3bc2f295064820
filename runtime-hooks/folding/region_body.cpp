#include "runtime-hooks/folding/region_body.h"

namespace muster {

void call_kmpc_with_many(abi::Microtask function, abi::GlobalThread* global, std::int32_t* bound,
                         void* const* arguments, int count) {
  call_with_arguments([&](auto... each) { function(global, bound, each...); }, arguments, count);
}

}  // namespace muster
