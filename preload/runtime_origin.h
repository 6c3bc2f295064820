// Where a runtime came from: the file, and the Python package that brought it, as its path tells.
#pragma once

#include <cstddef>

namespace muster {

// Takes "." and ".." out of a path, as if no folder were a link: wheels' objects ask for
// ".../sklearn/utils/../../scikit_learn.libs/libgomp.so".
void take_out_dots(char* path);

// The name of the package to which a file below `site-packages` or `dist-packages` belongs: that of the
// folder there, without the ".libs" that wheels' own libraries lie in, or of the file itself. Empty
// for any other path.
void package_of(const char* path, char* out, std::size_t size);

// `path` without dots, or where it is relative, the file that is mapped at `address`, if that can be told.
void full_path_of(const char* path, const void* address, char* out, std::size_t size);

}  // namespace muster
