// Compares Muster's own reading of a runtime's symbol table with the loader's, for each name on standard input, with each
// version that the arguments name and without one. Prints the differences, then how many were compared.
#include <dlfcn.h>

#include <iostream>
#include <string>

#include "runtime-hooks/objects/loaded_objects.h"

namespace {

bool differs(const muster::LoadedObject& object, void* library, const std::string& name,
             const char* version) {
  const void* expected =
      version != nullptr ? dlvsym(library, name.c_str(), version) : dlsym(library, name.c_str());
  const auto place = reinterpret_cast<std::uintptr_t>(expected);
  if (place < object.begin || place >= object.end) expected = nullptr;  // a dependency's
  const void* found = muster::defined_by(object, name.c_str(), version);
  if (found == expected) return false;
  std::cout << name << "@" << (version != nullptr ? version : "") << ": " << found
            << ", the loader's: " << expected << "\n";
  return true;
}

}  // namespace

// RUNTIME VERSION...
int main(int count, char** arguments) {
  void* library = count >= 2 ? dlopen(arguments[1], RTLD_NOW) : nullptr;
  if (library == nullptr) return 2;
  const muster::LoadedObject object = muster::object_of(dlsym(library, "GOMP_parallel"));
  unsigned compared = 0, different = 0;
  for (std::string name; std::cin >> name;) {
    different += differs(object, library, name, nullptr);
    for (int i = 2; i < count; ++i) different += differs(object, library, name, arguments[i]);
    compared += static_cast<unsigned>(count - 1);
  }
  std::cout << compared << " compared, " << different << " different\n";
  return different == 0 ? 0 : 1;
}
