// A condition that a thread waits for, passed by address: one instance of a policy's code serves every caller. Each
// check costs an indirect call, which is small compared with the pause between two checks.
#pragma once

#include <type_traits>

namespace muster {

// Refers to `holds`, which must outlive it.
class Condition {
 public:
  template <class Holds>
    requires(!std::is_same_v<std::remove_cvref_t<Holds>, Condition>)
  explicit Condition(const Holds& holds)
      : holds_(&holds),
        call_([](const void* function) { return (*static_cast<const Holds*>(function))(); }) {}

  bool operator()() const { return call_(holds_); }

 private:
  const void* holds_;
  bool (*call_)(const void*);
};

}  // namespace muster
