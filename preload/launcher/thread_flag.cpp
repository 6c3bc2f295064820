#include "preload/launcher/thread_flag.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "platform/number_text.h"
#include "preload/launcher/shell_quote.h"

namespace muster::launcher {
namespace {

constexpr const char* kAuto = "auto";
constexpr unsigned kMost = 65'536;

// 0: none.
unsigned number_in(const std::string& text) {
  const char* at = text.c_str();
  std::uint64_t number = 0;
  if (!take_number(at, number) || *at != '\0' || number > kMost) return 0;
  return static_cast<unsigned>(number);
}

}  // namespace

void ThreadFlag::add_to(CLI::App& command) {
  const std::string help = fmt::format(
      "Set OMP_NUM_THREADS, and the variables of OpenBLAS, MKL, BLIS and NumExpr that are not set. "
      "`auto`: to what "
      "affinity, CPU quota and load allow, if OMP_NUM_THREADS is not set. (n from 1 to {})",
      kMost);
  flag_ = command.add_option("--threads", value_, help)->type_name("auto|<n>");
}

bool ThreadFlag::given() const { return flag_ != nullptr && flag_->count() != 0; }

std::string ThreadFlag::problem() const {
  if (!given() || value_ == kAuto || number_in(value_) != 0) return "";
  return fmt::format("--threads {}: not a number of threads; allowed: auto|<n> (n from 1 to {})",
                     shell_quote(value_), kMost);
}

std::string ThreadFlag::set(Variables& variables, const FactSources& sources) const {
  if (!given()) return "";
  const bool is_auto = value_ == kAuto;
  const ThreadNumber number =
      is_auto ? number_of_threads(read_thread_facts(sources))
              : ThreadNumber{.threads = number_in(value_), .reason = "--threads " + value_};
  std::vector<std::string> set;
  std::vector<std::string> kept;
  for (const char* name : kThreadVariables) {
    const char* value = sources.variable(name);
    const bool is_set = value != nullptr && *value != '\0';
    const bool replaced = !is_auto && std::strcmp(name, kThreadVariables[0]) == 0;
    if (is_set && !replaced) {
      kept.push_back(fmt::format("{}={}", name, value));
    } else {
      variables.emplace_back(name, std::to_string(number.threads));
      set.emplace_back(name);
    }
  }
  std::string text =
      fmt::format("{} thread{}: {}", number.threads, number.threads == 1 ? "" : "s", number.reason);
  if (!set.empty()) text += fmt::format("; sets {}", fmt::join(set, " "));
  if (!kept.empty()) text += fmt::format("; keeps {}", fmt::join(kept, " "));
  return text;
}

}  // namespace muster::launcher
