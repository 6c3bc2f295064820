#include "sim/smp/production_jobs.h"

#include <fmt/format.h>

#include <stdexcept>

#include "barriers/choose.h"
#include "barriers/layout.h"
#include "sim/smp/fiber_job.h"
#include "sim/smp/production_registry.h"
#include "sim/smp/simulated_load.h"

namespace muster::smp {
namespace {

struct Policy {
  BarrierKind barrier = BarrierKind::kAuto;
  WaitKind wait = WaitKind::kAuto;
  std::uint64_t fixed_ns = 0;
};

bool read_barrier(std::string_view name, BarrierKind& out) {
  for (int i = 0; i < kBarrierKinds; ++i) {
    out = static_cast<BarrierKind>(i);
    if (name == kBarrierNames[i] && out != BarrierKind::kNative) return true;
  }
  return false;
}

bool read_wait(std::string_view name, Policy& out) {
  for (int i = 0; i < kWaitKinds; ++i) {
    out.wait = static_cast<WaitKind>(i);
    if (out.wait != WaitKind::kMicroseconds && name == kWaitNames[i]) return true;
  }
  if (name.size() < 3 || name.size() > 10 || !name.ends_with("us")) return false;
  std::uint64_t number = 0;
  for (const char digit : name.substr(0, name.size() - 2)) {
    if (digit < '0' || digit > '9') return false;
    number = 10 * number + static_cast<std::uint64_t>(digit - '0');
  }
  constexpr std::uint64_t kMinuteUs = 60'000'000;
  out.wait = WaitKind::kMicroseconds;
  out.fixed_ns = number * 1'000;
  return number <= kMinuteUs;
}

std::string read_policy(std::string_view text, Policy& out) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos && !read_barrier(text.substr(0, slash), out.barrier))
    return fmt::format(
        "\"{}\" is none of the barriers {}", text.substr(0, slash),
        "auto|fetch-add|fetch-add-xadd|dist-counter|dist-counter-padded|local-sensor|"
        "dist-sensor|dissemination|tree");
  const std::string_view wait = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (!read_wait(wait, out)) return fmt::format("\"{}\" is none of {}", wait, MUSTER_WAIT_VALUES);
  return {};
}

class Production : public FiberJob<ProductionJob> {
 public:
  Production(const JobPlan& plan, unsigned number, const ProductionSetting& setting)
      : FiberJob(plan, number, setting.costs), stats_(plan.size) {
    Policy policy;
    if (const std::string wrong = read_policy(plan.policy, policy); !wrong.empty())
      throw std::invalid_argument(wrong);
    if (policy.barrier == BarrierKind::kAuto)
      policy.barrier = choose_barrier(plan.size, setting.processors);
    ops_ = simulated_barrier_ops(policy.barrier);
    if (policy.wait == WaitKind::kAuto) {
      load_ = std::make_unique<SimulatedLoad>();
      load_->sensor().teams_grew(plan.size);
      world().sees(load_.get());
    }
    const WaitParameters parameters{.wait = policy.wait,
                                    .team_size = plan.size,
                                    .may_place = setting.may_place,
                                    .load_sensor = load_ ? &load_->sensor() : nullptr,
                                    .slice_ns = setting.slice_ns,
                                    .context_switch_ns = setting.context_switch_ns(),
                                    .wake_ns = setting.wake_ns(),
                                    .fixed_ns = policy.fixed_ns};
    const Layout layout;
    if (arena_.reserve(ops_->bytes(plan.size, layout)))
      state_ = ops_->create(arena_, plan.size, layout, parameters);
    if (state_ == nullptr) throw std::runtime_error("no memory for a team");
  }

  void add_stats_to(WaitStats& sum) const override {
    for (const WaitStats& one : stats_) one.add_to(sum);
  }

 private:
  void arrive_and_wait(unsigned thread, std::uint64_t instance) override {
    WaitStats& stats = stats_[thread];
    ops_->arrive_and_wait(state_, thread, instance, call_off_, stats);
    Waits& waits = waits_of(thread);
    waits.barriers = stats.barriers.read();
    waits.spins = stats.spins_begun.read();
    waits.successful_spins = stats.spins_succeeded.read();
    waits.blocks = stats.blocks.read();
  }

  CallOff<SimulatedMemory> call_off_;
  Arena arena_;
  const BarrierOps<SimulatedMemory>* ops_ = nullptr;
  void* state_ = nullptr;
  std::vector<WaitStats> stats_;
  std::unique_ptr<SimulatedLoad> load_;
};

}  // namespace

std::string wrong_with_production_policy(std::string_view policy) {
  Policy ignored;
  return read_policy(policy, ignored);
}

// A wake call, a sleep call and a switch.
std::uint64_t ProductionSetting::context_switch_ns() const {
  return static_cast<std::uint64_t>(costs.futex_wake + costs.wake_each + costs.futex_wait +
                                    context_switch);
}

// A wake call, the interrupt and the switch.
std::uint64_t ProductionSetting::wake_ns() const {
  return static_cast<std::uint64_t>(costs.futex_wake + costs.wake_each + interrupt_delay +
                                    context_switch);
}

std::unique_ptr<ProductionJob> make_production(const JobPlan& plan, unsigned number,
                                               const ProductionSetting& setting) {
  return std::make_unique<Production>(plan, number, setting);
}

}  // namespace muster::smp
