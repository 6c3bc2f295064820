// A condition that a thread waits for, of which only the address is passed on: one instance of a policy's code serves
// every place that waits. Each look costs an indirect call, which vanishes beside the pause between two looks.
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
