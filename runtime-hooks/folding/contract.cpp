#include "runtime-hooks/folding/contract.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace muster {
namespace {

constexpr const char* kTexts[] = {
#define MUSTER_TEXT(symbol, text) "muster: broken: " text "\n",
    MUSTER_FOLDING_CLAUSES(MUSTER_TEXT)
#undef MUSTER_TEXT
};

}  // namespace

void broken(FoldingClause clause) {
  const char* text = kTexts[static_cast<unsigned>(clause)];
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  std::abort();
}

}  // namespace muster
