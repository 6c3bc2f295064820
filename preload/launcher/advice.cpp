#include "preload/launcher/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "preload/launcher/site_frames.h"

namespace muster::launcher {
namespace {

constexpr std::size_t kMostSentences = 3;
constexpr double kWorthwhile = 0.03;  // of the elapsed time; what gains less is not mentioned
constexpr double kMostPassed =
    0.10;  // of the arrivals; above, Muster does not see the program's barriers
constexpr double kFirst = std::numeric_limits<double>::infinity();

struct Finding {
  double gain_ns;  // of elapsed time
  std::string sentence;
};

std::string count_text(double count, const char* word) {
  return fmt::format("{:.10g} {}{}", count, word, count == 1 ? "" : "s");
}

class Rules {
 public:
  explicit Rules(const json& report)
      : report_(report),
        elapsed_ns_(std::max(1.0, number(report.at("elapsed_ns")))),
        threads_(std::max(1.0, number(report.at("largest_team")))),
        sites_(report.at("call_sites").at("sites")) {}

  std::vector<Finding> found() {
    passed_through();
    lost_cpus();
    throttled();
    stolen();
    imbalance();
    waking();
    serial_parts();
    not_recorded();
    std::erase_if(findings_, [&](const Finding& finding) {
      return finding.gain_ns < kWorthwhile * elapsed_ns_;
    });
    std::sort(findings_.begin(), findings_.end(),
              [](const auto& left, const auto& right) { return left.gain_ns > right.gain_ns; });
    return findings_;
  }

  double waited_share() const {
    return number(report_.at("waiting").at("waited_ns")) / (elapsed_ns_ * threads_);
  }

 private:
  template <typename... Values>
  void add(double gain_ns, fmt::format_string<Values...> format, Values&&... values) {
    findings_.push_back({gain_ns, fmt::format(format, std::forward<Values>(values)...)});
  }

  double gain(const char* cause) const {
    double sum = 0;
    for (const json& site : sites_) sum += number(site.at(cause));
    return sum;
  }

  // The site that could gain most from a cause; null: there are no sites.
  const json* most(const char* cause) const {
    const auto found =
        std::max_element(sites_.begin(), sites_.end(), [&](const json& left, const json& right) {
          return number(left.at(cause)) < number(right.at(cause));
        });
    return found == sites_.end() ? nullptr : &*found;
  }

  // "1.20 s (12 %)"
  std::string cost(double ns) const {
    NumberText text;
    return fmt::format("{} ({:.0f} %)", readable(static_cast<std::uint64_t>(ns), Unit::kNs, text),
                       100 * ns / elapsed_ns_);
  }

  void passed_through() {
    const json& barriers = report_.at("barriers");
    const double passed = number(barriers.at("passed_through"));
    const double all = passed + number(barriers.at("replaced"));
    if (all == 0 || passed / all < kMostPassed) return;
    const json* most = nullptr;
    for (const json& reason : barriers.at("by_reason")) {
      if (most == nullptr || number(reason.at("count")) > number(most->at("count"))) most = &reason;
    }
    add(kFirst,
        "{:.0f} % of the arrivals took the runtime's own barrier, most of them because of \"{}\": "
        "`muster doctor` tells more.",
        100 * passed / all, most == nullptr ? "?" : most->at("reason").get<std::string>());
  }

  void lost_cpus() {
    const double lost_ns = gain("gain_preempted_ns");
    const double cpus = number(report_.at("load").at("allowed_cpus"));
    if (cpus > 0 && threads_ > cpus) {
      const double waited_ns = waited_share() * elapsed_ns_;
      add(sites_.empty() ? waited_ns : lost_ns,
          "There were {} for {}: set OMP_NUM_THREADS={:.0f}, or allow the program more CPUs.",
          count_text(threads_, "thread"), count_text(cpus, "CPU"), cpus);
    } else {
      add(lost_ns,
          "Others ran on the program's CPUs, which cost about {} of the elapsed time: use fewer "
          "than {}, or CPUs that nobody else uses.",
          cost(lost_ns), count_text(threads_, "thread"));
    }
  }

  void throttled() {
    const double lost_ns = gain("gain_throttled_ns");
    const double quota = number(report_.at("load").at("quota_millicpus")) / 1000;
    if (quota == 0) return;
    add(lost_ns,
        "The quota of {} stopped threads, which cost about {} of the elapsed time: set "
        "OMP_NUM_THREADS={:.0f}, or raise the quota.",
        count_text(quota, "CPU"), cost(lost_ns), std::max(1.0, std::floor(quota)));
  }

  void stolen() {
    const double lost_ns = gain("gain_stolen_ns");
    add(lost_ns,
        "The host of the virtual machine took CPU time, which cost about {} of the elapsed time: "
        "use another host, or fewer threads.",
        cost(lost_ns));
  }

  void imbalance() {
    const json* site = most("gain_imbalance_ns");
    if (site == nullptr) return;
    const double lost_ns = number(site->at("gain_imbalance_ns"));
    add(lost_ns,
        "Give each thread the same work before {}, which could gain {} of the elapsed time: for "
        "instance by schedule(dynamic) or smaller chunks.",
        site_text(*site), cost(lost_ns));
  }

  void waking() {
    const json* site = most("gain_waking_ns");
    if (site == nullptr) return;
    const double lost_ns = number(site->at("gain_waking_ns"));
    add(lost_ns,
        "Waiting itself cost about {} of the elapsed time at {}, where threads met {}: use fewer "
        "barriers or regions there.",
        cost(lost_ns), site_text(*site), count_text(number(site->at("count")), "time"));
  }

  // Serialization is U / (U + S), with the useful time U and the time S that threads were idle.
  void serial_parts() {
    const json& efficiency = report_.at("efficiency");
    if (efficiency.is_null()) return;
    const double share = number(efficiency.at("ompSerializationEfficiency"));
    if (share <= 0) return;
    const double idle_ns = number(efficiency.at("usefulTime")) * (1 / share - 1);
    const double lost_ns = idle_ns / threads_;
    add(lost_ns,
        "Parts that one thread runs alone cost about {} of the elapsed time: make more of them "
        "parallel.",
        cost(lost_ns));
  }

  void not_recorded() {
    if (report_.at("call_sites").at("recorded").get<bool>()) return;
    add(waited_share() * elapsed_ns_,
        "Threads waited {:.0f} % of their time: `muster run --sites` shows where and why.",
        100 * waited_share());
  }

  const json& report_;
  double elapsed_ns_;
  double threads_;
  const json& sites_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<std::string> advice(const json& report) {
  if (const json& reason = report.at("inactive_reason"); !reason.is_null()) {
    return {fmt::format("Muster replaced no barrier (\"{}\"): `muster doctor` tells what to do.",
                        reason.get<std::string>())};
  }
  Rules rules(report);
  std::vector<std::string> sentences;
  for (Finding& finding : rules.found()) sentences.push_back(std::move(finding.sentence));
  if (sentences.size() > kMostSentences) sentences.resize(kMostSentences);
  if (sentences.empty()) {
    sentences.push_back(fmt::format(
        "Nothing: threads waited {:.1f} % of their time, and no rule finds more than {:.0f} % of "
        "the elapsed time to gain.",
        100 * rules.waited_share(), 100 * kWorthwhile));
  }
  return sentences;
}

}  // namespace muster::launcher
