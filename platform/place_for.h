// Storage in .bss for an object that is constructed when it is first needed. A large object with a nonzero member
// initializer would be in .data instead, as bytes of the library's file.
#pragma once

#include <new>

namespace muster {

template <class T>
class PlaceFor {
 public:
  void* place() { return bytes_; }

  // To be called once; the object is never destroyed.
  T& make() { return *::new (place()) T(); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

}  // namespace muster
