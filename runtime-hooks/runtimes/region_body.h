// A parallel region's function with its arguments.
#pragma once

#include "runtime-hooks/runtimes/abi.h"
#include "runtime-hooks/runtimes/call_with_arguments.h"

namespace muster {

inline void call_kmpc(abi::Microtask function, abi::GlobalThread* global, std::int32_t* bound,
                      void* const* arguments, int count) {
  if (count > kDirectlyPassed) {
    muster_call_with_words(reinterpret_cast<void (*)()>(function), global, bound, arguments,
                           static_cast<std::size_t>(count));
  } else {
    call_with_few([&](auto... each) { function(global, bound, each...); }, arguments, count);
  }
}

// As passed to the entry point: the arguments are on the primary thread's stack.
class RegionBody {
 public:
  // Clang's.
  RegionBody(abi::Microtask function, int count, void* const* arguments)
      : kmpc_(function), arguments_(arguments), count_(count) {}
  // Gcc's, with its one argument.
  RegionBody(abi::GompRegion function, void* const* data)
      : gomp_(function), arguments_(data), count_(kGomp) {}

  const void* address() const {
    return count_ == kGomp ? reinterpret_cast<const void*>(gomp_)
                           : reinterpret_cast<const void*>(kmpc_);
  }

  // The compiler's function reads its thread's numbers through pointers.
  void operator()(abi::GlobalThread* global, std::int32_t* bound) const {
    call(global, bound, arguments_);
  }

 private:
  friend class RegionRecord;
  static constexpr int kGomp = -1;  // instead of a count

  RegionBody() = default;

  void call(abi::GlobalThread* global, std::int32_t* bound, void* const* arguments) const {
    if (count_ == kGomp) {
      gomp_(arguments[0]);
    } else {
      call_kmpc(kmpc_, global, bound, arguments, count_);
    }
  }

  union {
    abi::Microtask kmpc_ = nullptr;
    abi::GompRegion gomp_;
  };
  void* const* arguments_ = nullptr;
  int count_ = 0;
};

inline constexpr int kFewArguments = 2;

// The same for threads that read it from the primary thread's memory: at most a cache line, including the few arguments
// that most regions have. Written in words of the size in which it is read, because a load cannot be forwarded from
// several smaller stores.
class RegionRecord {
 public:
  RegionRecord() = default;
  explicit RegionRecord(const RegionBody& body) { *this = body; }

  RegionRecord& operator=(const RegionBody& body) {
    body_.kmpc_ = body.kmpc_;
    body_.arguments_ = body.arguments_;
    body_.count_ = body.count_;
    const bool gomp = body.count_ == RegionBody::kGomp;
    if (gomp || body.count_ > 0) few_[0] = body.arguments_[0];
    if (body.count_ > 1) few_[1] = body.arguments_[1];
    return *this;
  }

  const void* address() const { return body_.address(); }

  void operator()(abi::GlobalThread* global, std::int32_t* bound) const {
    body_.call(global, bound, body_.count_ <= kFewArguments ? few_ : body_.arguments_);
  }

 private:
  RegionBody body_;
  void* few_[kFewArguments] = {};
};

}  // namespace muster
