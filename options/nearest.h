// The option that somebody who misspelt a variable probably meant.
#pragma once

#include <cstddef>

#include "options/table.h"

namespace muster {

// How many characters must be inserted, deleted, replaced or swapped with the next one to make `right` of `left`. Of
// both, the first 64 characters count.
unsigned edit_distance(const char* left, std::size_t left_length, const char* right,
                       std::size_t right_length);

// Of equally near ones, the first in the table.
const Option& nearest_option(const char* name, std::size_t length);

}  // namespace muster
