// The file of a runtime, and the Python package that it belongs to, both derived from its path.
#pragma once

#include <cstddef>

namespace muster {

// Removes "." and ".." from a path, assuming that no folder is a symbolic link: objects in wheels refer to
// ".../sklearn/utils/../../scikit_learn.libs/libgomp.so".
void take_out_dots(char* path);

// The name of the package to which a file below `site-packages` or `dist-packages` belongs: the folder there, without
// the suffix ".libs" of a wheel's library folder, or the file itself. Empty for any other path.
void package_of(const char* path, char* out, std::size_t size);

// `path` without dots. If it is relative: the file mapped at `address`, if there is one.
void full_path_of(const char* path, const void* address, char* out, std::size_t size);

}  // namespace muster
