#include "sim/smp/production_jobs.h"

#include <fmt/format.h>

#include <stdexcept>

#include "barriers/choose.h"
#include "barriers/layout.h"
#include "sim/smp/fiber_job.h"
#include "sim/smp/production_registry.h"
#include "sim/smp/simulated_load.h"
#include "turns/turns.h"

namespace muster::smp {
namespace {

struct Policy {
  BarrierKind barrier = BarrierKind::kAuto;
  kind::Wait::Value wait;
};

// What is wrong with it, else nothing.
std::string read_policy(const std::string& text, Policy& out) {
  const std::size_t slash = text.find('/');
  const std::string barrier = slash == std::string::npos ? "auto" : text.substr(0, slash);
  if (!kind::BarrierName::parse(barrier.c_str(), out.barrier) ||
      out.barrier == BarrierKind::kNative) {
    return fmt::format("\"{}\" is none of the barriers {}, without native", barrier,
                       kind::BarrierName::values());
  }
  const std::string wait = slash == std::string::npos ? text : text.substr(slash + 1);
  if (!kind::Wait::parse(wait.c_str(), out.wait))
    return fmt::format("\"{}\" is none of {}", wait, kind::Wait::values());
  return {};
}

class Production : public FiberJob<ProductionJob> {
 public:
  Production(const JobPlan& plan, unsigned number, const ProductionSetting& setting)
      : FiberJob(plan, number, setting.costs),
        processors_(setting.processors),
        page_(setting.page),
        stats_(plan.size) {
    Policy policy;
    if (const std::string wrong = read_policy(plan.policy, policy); !wrong.empty())
      throw std::invalid_argument(wrong);
    if (policy.barrier == BarrierKind::kAuto)
      policy.barrier = choose_barrier(plan.size, setting.processors);
    ops_ = simulated_barrier_ops(policy.barrier);
    if (policy.wait.kind == WaitKind::kAuto) {
      load_ = std::make_unique<SimulatedLoad>();
      load_->sensor().teams_grew(plan.size);
      world().sees(load_.get());
    }
    if (page_ != nullptr) {
      turns_ = std::make_unique<Turns>();
      turns_->begin({.open_page = [](void* job) { return static_cast<Production*>(job)->page_; },
                     .read_needs = &read_needs,
                     .context = this,
                     .id = number + 1});
    }
    const WaitParameters parameters{
        .wait = policy.wait.kind,
        .team_size = plan.size,
        .settings = {.slice_ns = setting.slice_ns, .place = setting.may_place},
        .load_sensor = load_ ? &load_->sensor() : nullptr,
        .turns = turns_.get(),
        .context_switch_ns = setting.context_switch_ns(),
        .wake_ns = setting.wake_ns(),
        .fixed_ns = policy.wait.fixed_ns};
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

  // Whoever asks reads the page next: a load for each record, of which the members' have changed.
  static void read_needs(void* context, TurnNeeds& needs) {
    const auto& me = *static_cast<const Production*>(context);
    needs.wants = me.plan().size;
    needs.cpus = CpuSet::first(me.processors_);
    const Costs& costs = t_world->costs();
    for (const TurnRecord& record : me.page_->records) {
      const bool is_member = record.owner.load(std::memory_order_relaxed) != 0;
      t_world->pay(is_member ? costs.line : costs.load);
    }
  }

  const unsigned processors_;
  TurnPage* const page_;
  std::unique_ptr<Turns> turns_;
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
  return read_policy(std::string(policy), ignored);
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
