#include "runtime-hooks/folding/environment.h"

#include <strings.h>

#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace muster {

bool g_fp_is_inherited = true;
bool g_affinity_is_displayed = false;

namespace {

bool is_no(const char* value) {
  while (*value == ' ' || *value == '\t' || *value == '.') ++value;
  for (const char* no : {"f", "n", "0", "off", "disabled"}) {
    std::size_t length = 0;
    while (no[length] != '\0') ++length;
    if (strncasecmp(value, no, length) == 0) return true;
  }
  return *value == '\0';
}

}  // namespace

void read_environment() {
  const char* inherit = std::getenv("KMP_INHERIT_FP_CONTROL");
  g_fp_is_inherited = inherit == nullptr || *inherit == '\0' || !is_no(inherit);
  // A value that is not known to mean no may mean yes to one of the runtimes.
  const char* display = std::getenv("OMP_DISPLAY_AFFINITY");
  if (display != nullptr && !is_no(display)) g_affinity_is_displayed = true;
}

}  // namespace muster
