// A parallel region's function with its arguments, as its entry point got them.
#pragma once

#include "runtime-hooks/abi.h"
#include "runtime-hooks/call_with_arguments.h"

namespace muster {

inline constexpr int kFewArguments = 2;

// Threads read it from the primary thread's memory: no more than a cache line, also with the few
// arguments that most regions have.
class RegionBody {
 public:
  RegionBody() = default;

  // Clang's.
  RegionBody(abi::Microtask function, int count, void* const* arguments)
      : kmpc_(function), many_(arguments), count_(count) {
    for (int i = 0; i < count && i < kFewArguments; ++i) few_[i] = arguments[i];
  }

  // Gcc's.
  RegionBody(abi::GompRegion function, void* data) : gomp_(function), count_(kGomp) {
    few_[0] = data;
  }

  // The compiler's function reads its thread's numbers through pointers.
  void operator()(abi::GlobalThread* global, std::int32_t* bound) const {
    if (count_ == kGomp) {
      gomp_(few_[0]);
      return;
    }
    call_with_arguments([&](auto... arguments) { kmpc_(global, bound, arguments...); },
                        count_ <= kFewArguments ? few_ : many_, count_);
  }

 private:
  static constexpr int kGomp = -1;

  union {
    abi::Microtask kmpc_ = nullptr;
    abi::GompRegion gomp_;
  };
  void* const* many_ = nullptr;
  void* few_[kFewArguments] = {};
  int count_ = 0;  // kGomp: no count
};

}  // namespace muster
