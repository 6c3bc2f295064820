#include "runtime-hooks/runtimes/reduction.h"

#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace muster {
namespace {

// The compiler has generated atomic operations for this reduction (kmp.h).
constexpr std::int32_t kAtomicReduce = 0x10;

constexpr unsigned kNoTreeUpTo = 4;

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// A value that is neither yes nor no counts as yes: the tree is correct in either case.
bool says_no(const char* value) {
  return strcasecmp(value, "off") == 0 || strncasecmp(value, ".f", 2) == 0 ||
         std::strchr("0fFnNdD", value[0]) != nullptr;  // false, no, disabled, and the empty string
}

}  // namespace

ReductionRules reduction_rules() {
  ReductionRules rules;
  for (const char* shapes_tree : {"KMP_REDUCTION_BARRIER", "KMP_REDUCTION_BARRIER_PATTERN",
                                  "KMP_PLAIN_BARRIER_PATTERN", "KMP_FORKJOIN_BARRIER_PATTERN"}) {
    if (is_set(shapes_tree)) rules.usual_tree = false;  // `dist` for one is for all
  }
  const char* force = std::getenv("KMP_FORCE_REDUCTION");
  const char* determine = std::getenv("KMP_DETERMINISTIC_REDUCTION");
  if (force != nullptr) {
    if (strcasecmp(force, "critical") == 0) rules.forced = Reduction::kCritical;
    if (strcasecmp(force, "atomic") == 0) rules.forced = Reduction::kAtomic;
    if (strcasecmp(force, "tree") == 0) rules.forced = Reduction::kTree;
    rules.understood = rules.forced != Reduction::kReal && determine == nullptr;
  } else if (determine != nullptr && !says_no(determine)) {
    rules.forced = Reduction::kTree;
  }
  return rules;
}

Reduction reduction_method(const ReductionRules& rules, unsigned threads, const abi::Ident* where,
                           const void* data, abi::Combine combine) {
  if (!rules.understood) return Reduction::kReal;
  const bool atomic = where != nullptr && (where->flags & kAtomicReduce) != 0;
  const bool tree = data != nullptr && combine != nullptr;
  Reduction method = atomic ? Reduction::kAtomic : Reduction::kCritical;
  if (tree && threads > kNoTreeUpTo) method = Reduction::kTree;
  if (rules.forced != Reduction::kReal) {
    // The runtime warns about a method that it cannot use.
    if (rules.forced == Reduction::kAtomic && !atomic) return Reduction::kReal;
    if (rules.forced == Reduction::kTree && !tree) return Reduction::kReal;
    method = rules.forced;
  }
  return method == Reduction::kTree && !rules.usual_tree ? Reduction::kReal : method;
}

}  // namespace muster
