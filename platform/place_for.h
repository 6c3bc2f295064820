// Storage in .bss for an object that is made when it is needed. A large object with a member initializer other than zero
// would lie in .data instead, as bytes of the library's file.
#pragma once

#include <new>

namespace muster {

template <class T>
class PlaceFor {
 public:
  void* place() { return bytes_; }

  // Once; it is never destroyed.
  T& make() { return *::new (place()) T(); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

}  // namespace muster
