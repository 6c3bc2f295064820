#include "preload/launcher/thread_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::launcher {
namespace {

struct Limit {
  unsigned threads;
  std::string text;
};

std::string cpus(unsigned count) { return fmt::format("{} CPU{}", count, count == 1 ? "" : "s"); }

unsigned rounded(std::uint64_t millicpus) {
  const std::uint64_t whole = millicpus / 1000;
  const std::uint64_t lost = millicpus % 1000;
  const bool down = whole != 0 && lost * 10 <= millicpus;
  return static_cast<unsigned>(down ? whole : whole + 1);
}

// The others in parentheses, with what is not known.
std::string reason_of(const std::vector<Limit>& limits, const Limit& least, bool quota_known) {
  std::vector<std::string> others;
  for (const Limit& limit : limits) {
    if (&limit != &least) others.push_back(limit.text);
  }
  if (!quota_known) others.emplace_back("some cgroups unknown");
  return others.empty() ? least.text : fmt::format("{} ({})", least.text, fmt::join(others, ", "));
}

}  // namespace

ThreadNumber number_of_threads(const ThreadFacts& facts) {
  const unsigned allowed = std::max(1U, facts.allowed_cpus);
  std::vector<Limit> limits = {{allowed, cpus(allowed) + " allowed"}};
  if (facts.busy_cpus != 0) {
    const bool counts = 2 * facts.busy_cpus < allowed;
    limits.push_back({counts ? allowed - facts.busy_cpus : allowed,
                      cpus(facts.busy_cpus) + " busy with other processes"});
  }
  if (facts.quota_millicpus != 0) {
    limits.push_back({rounded(facts.quota_millicpus),
                      fmt::format("a quota of {:.2f} CPUs", facts.quota_millicpus / 1000.0)});
  }
  if (facts.user.threads != 0) {
    limits.push_back(
        {facts.user.threads, fmt::format("{}={}", facts.user.variable, facts.user.threads)});
  }
  const auto least =
      std::min_element(limits.begin(), limits.end(),
                       [](const Limit& a, const Limit& b) { return a.threads < b.threads; });
  return {least->threads, reason_of(limits, *least, facts.quota_known)};
}

}  // namespace muster::launcher
