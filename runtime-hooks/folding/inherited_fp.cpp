#include "runtime-hooks/folding/inherited_fp.h"

#include <strings.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace muster {

bool g_fp_is_inherited = true;

void read_fp_inheritance() {
  const char* value = std::getenv("KMP_INHERIT_FP_CONTROL");
  if (value == nullptr) return;
  while (*value == ' ' || *value == '\t' || *value == '.') ++value;
  for (const char* no : {"f", "n", "0", "off", "disabled"}) {
    std::size_t length = 0;
    while (no[length] != '\0') ++length;
    if (strncasecmp(value, no, length) == 0) g_fp_is_inherited = false;
  }
}

}  // namespace muster
