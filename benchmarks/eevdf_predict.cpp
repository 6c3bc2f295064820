// What the simulated EEVDF scheduler does in the settings of eevdf_probe.c: the same commands, the same
// JSON. The machine's parameters are those of eevdf_check.py, which measures them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/smp/eevdf.h"
#include "sim/smp/machine.h"
#include "waiting/random.h"

namespace muster::smp {
namespace {

constexpr Time kUs = 1'000;
constexpr Time kStarts = 20'000 * kUs;  // all threads have started by then

struct Setting {
  MachineShape shape{2, 1'500, 18'000};
  EevdfRules rules;
  Time call = 300;               // of the kernel
  Time wake_call = 12'500;       // of a futex wake that has to interrupt another processor
  Time local_wake_call = 1'000;  // of one that has not
  Time timer_delay = 20'000;     // from the time to the interrupt
  Time crossing = 60;            // of a cache line between processors
  double seconds = 1;
  std::uint64_t seed = 1;
  bool moves = false;
  Time duration() const { return static_cast<Time>(seconds * 1e9); }
};

std::string samples(const char* name, std::vector<Time> values) {
  std::ranges::sort(values);
  double sum = 0;
  for (const Time value : values) sum += static_cast<double>(value) / 1000;
  const auto at = [&](double share) {
    if (values.empty()) return -1.0;
    return static_cast<double>(
               values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))]) /
           1000;
  };
  return fmt::format(
      R"("{}": {{"count": {}, "mean": {:.2f}, "p10": {:.2f}, "p50": {:.2f}, "p90": {:.2f}, "p99": {:.2f}}})",
      name, values.size(), values.empty() ? -1 : sum / static_cast<double>(values.size()), at(0.1),
      at(0.5), at(0.9), at(0.99));
}

class Lambda : public Behaviour {
 public:
  explicit Lambda(std::function<Demand(Machine&, Task&)> next) : next_(std::move(next)) {}
  Demand next(Machine& machine, Task& me) override { return next_(machine, me); }

 private:
  const std::function<Demand(Machine&, Task&)> next_;
};

class RunLengths : public Observer {
 public:
  void thread_changed(Time now, const Task& task) override {
    since_.resize(std::max<std::size_t>(since_.size(), task.number + 1), -1);
    Time& since = since_[task.number];
    if (task.state == State::kRunning && since < 0) {
      since = now;
    } else if (task.state != State::kRunning && since >= 0) {
      all.push_back(now - since);
      since = -1;
    }
  }
  void processor_changed(Time, unsigned, const Processor&) override {}
  std::vector<Time> all;

 private:
  std::vector<Time> since_;
};

// When a thread runs on another processor than before, on stderr.
class Moves : public Observer {
 public:
  void thread_changed(Time now, const Task& task) override {
    if (task.state != State::kRunning) return;
    on_.resize(std::max<std::size_t>(on_.size(), task.number + 1), kNoProcessor);
    unsigned& before = on_[task.number];
    if (before != kNoProcessor && before != task.processor)
      fmt::print(stderr, "{:.3f} ms: thread {} from {} to {}\n", static_cast<double>(now) / 1e6,
                 task.number, before, task.processor);
    before = task.processor;
  }
  void processor_changed(Time, unsigned, const Processor&) override {}

 private:
  std::vector<unsigned> on_;
};

class World {
 public:
  explicit World(const Setting& setting, Observer* observer = nullptr)
      : scheduler_(setting.rules), machine(setting.shape, scheduler_, observer) {}

  Task& thread(std::function<Demand(Machine&, Task&)> next) {
    all.push_back(&machine.make_task(0, std::make_unique<Lambda>(std::move(next))));
    return *all.back();
  }
  void hogs(unsigned count, unsigned pinned = kNoProcessor) {
    for (unsigned i = 0; i < count; ++i)
      thread([](Machine&, Task&) { return Demand{Demand::Kind::kCompute, kNever}; }).pinned =
          pinned;
  }
  void run(const Setting& setting) {
    // Real threads do not start at once: who shares a processor's turns with whom follows from that.
    MixedNumbers numbers(setting.seed);
    for (Task* task : all) machine.arrive({task}, numbers.next() % kStarts);
    machine.run(setting.duration());
  }

 private:
  Eevdf scheduler_;

 public:
  Machine machine;
  std::vector<Task*> all;
};

void spin(const Setting& setting, unsigned count) {
  RunLengths lengths;
  World world(setting, &lengths);
  world.hogs(count);
  world.run(setting);
  std::string shares;
  for (const Task* task : world.all)
    shares += fmt::format("{}{:.3f}", shares.empty() ? "" : ", ",
                          static_cast<double>(task->ran) / (setting.seconds * 1e9));
  fmt::print("{{\"shares\": [{}], {}}}\n", shares, samples("runs", lengths.all));
}

void yield(const Setting& setting, unsigned hogs) {
  World world(setting);
  world.hogs(hogs, 0);
  std::vector<Time> took;
  Time last = 0;
  bool called = false;
  Task& yielder = world.thread([&](Machine& machine, Task&) {
    called = !called;
    if (!called) return Demand{Demand::Kind::kYield, 0};
    if (last > kStarts) took.push_back(machine.now() - last);
    last = machine.now();
    return Demand{Demand::Kind::kCompute, setting.call};
  });
  yielder.pinned = 0;
  world.run(setting);
  fmt::print("{{\"share\": {:.4f}, {}}}\n",
             static_cast<double>(yielder.ran) / (setting.seconds * 1e9), samples("yields", took));
}

void sleep_beside(const Setting& setting, unsigned hogs, Time slice) {
  World world(setting);
  world.hogs(hogs);
  std::vector<Time> late;
  Time due = 0;
  bool awake = false;
  world
      .thread([&](Machine& machine, Task&) {
        awake = !awake;
        if (awake) {
          if (due > kStarts) late.push_back(machine.now() - due);
          return Demand{Demand::Kind::kCompute, 20 * kUs};
        }
        due = machine.now() + 1'000 * kUs;
        return Demand{Demand::Kind::kBlock, 1'000 * kUs + setting.timer_delay};
      })
      .slice = slice;
  world.run(setting);
  fmt::print("{{{}}}\n", samples("late", late));
}

// A central barrier of two, as the probe's: two an iteration.
class Pair {
 public:
  Pair(const Setting& setting, Time work, const std::string& policy)
      : setting_(setting), work_(work), policy_(policy) {}

  void make(World& world) {
    for (unsigned i = 0; i < 2; ++i) {
      tasks_[i] = &world.thread([this, i, &one = members_[i]](Machine& machine, Task& me) {
        return next(i, one, machine, me);
      });
    }
  }
  std::uint64_t barriers() const { return episode_; }

 private:
  enum class Doing : std::uint8_t {
    kBegins,
    kWorks,
    kArrives,
    kSpins,
    kYields,
    kCalls,
    kBlocks,
    kReleases
  };
  struct Member {
    Doing doing = Doing::kBegins;
    std::uint64_t episode = 0;
    bool first_half = false;
    bool yields = false;
  };

  static Demand compute(Time time) { return {Demand::Kind::kCompute, time}; }

  Demand next(unsigned number, Member& one, Machine& machine, Task& me) {
    switch (one.doing) {
      case Doing::kBegins:
      case Doing::kReleases:
        return goes_on(one);
      case Doing::kWorks:  // the counter's line has to come over
        one.doing = Doing::kArrives;
        return compute(setting_.crossing);
      case Doing::kArrives:
        return arrives(number, one, machine, me);
      default:
        return waits(one, me);
    }
  }

  Demand goes_on(Member& one) {
    one.first_half = !one.first_half;
    one.doing = Doing::kWorks;
    return compute(one.first_half ? work_ : 0);
  }

  Demand arrives(unsigned number, Member& one, Machine& machine, Task& me) {
    one.episode = episode_;
    if (++arrived_ < 2) {
      if (policy_ == "yield") {
        one.doing = Doing::kYields;
        return compute(setting_.call);
      }
      one.doing = Doing::kSpins;
      if (policy_ == "spin") return {Demand::Kind::kSpin, kNever};
      if (policy_ == "20us") return {Demand::Kind::kSpin, 20 * kUs};
      one.doing = Doing::kCalls;
      return compute(setting_.call);
    }
    arrived_ = 0;
    ++episode_;
    Task* const other = tasks_[1 - number];
    one.doing = Doing::kReleases;
    if (members_[1 - number].doing == Doing::kBlocks ||
        members_[1 - number].doing == Doing::kCalls) {
      machine.wake({&other, 1}, me.processor);
      const bool local = Eevdf::fair(*other).home == me.processor;
      return compute(local ? setting_.local_wake_call : setting_.wake_call);
    }
    machine.signal(*other);
    return compute(0);
  }

  Demand waits(Member& one, Task&) {
    if (one.doing == Doing::kYields) {  // looks after each yield only
      one.yields = !one.yields;
      if (one.yields) return {Demand::Kind::kYield, 0};
    }
    if (episode_ != one.episode) {
      one.doing = Doing::kReleases;
      return compute(setting_.crossing);
    }
    switch (one.doing) {
      case Doing::kYields:
        return compute(setting_.call);
      case Doing::kSpins:
        one.doing = Doing::kCalls;
        return compute(setting_.call);
      default:
        one.doing = Doing::kBlocks;
        return {Demand::Kind::kBlock, kNever};
    }
  }

  const Setting& setting_;
  const Time work_;
  const std::string policy_;
  Task* tasks_[2] = {};
  Member members_[2];
  std::uint64_t episode_ = 0;
  unsigned arrived_ = 0;
};

void barrier(const Setting& setting, unsigned hogs, Time work, const std::string& policy) {
  Moves moves;
  World world(setting, setting.moves ? &moves : nullptr);
  world.hogs(hogs);
  Pair pair(setting, work, policy);
  pair.make(world);
  world.run(setting);
  fmt::print("{{\"iterations_per_s\": {:.1f}}}\n",
             static_cast<double>(pair.barriers()) / 2 / setting.seconds);
}

void run(int argc, char** argv) {
  Setting setting;
  unsigned number = 0;
  Time slice_us = 0;
  double work_us = 0;
  std::string policy;
  CLI::App app("What the simulated EEVDF scheduler does to a few threads on two processors.");
  app.require_subcommand(1);
  app.add_option("--context-switch", setting.shape.context_switch, "ns");
  app.add_option("--interrupt-delay", setting.shape.interrupt_delay, "ns, to another processor");
  app.add_option("--idle-exit", setting.rules.idle_exit, "ns, above that, if it idles");
  app.add_option("--call", setting.call, "ns, of the kernel");
  app.add_option("--wake-call", setting.wake_call, "ns, of a futex wake");
  app.add_option("--local-wake-call", setting.local_wake_call, "ns, of one on its own processor");
  app.add_option("--timer-delay", setting.timer_delay, "ns, that a timer is late");
  app.add_option("--crossing", setting.crossing, "ns, of a cache line");
  app.add_option("--seed", setting.seed, "of when the threads start, in the first 20 ms");
  app.add_flag("--moves", setting.moves,
               "say on stderr when one of a barrier's threads or hogs is moved");
  app.add_option("--tick", setting.rules.tick, "ns")->check(CLI::PositiveNumber);
  const auto command = [&](const char* name, const char* help) {
    CLI::App* const sub = app.add_subcommand(name, help);
    sub->add_option("seconds", setting.seconds)->required()->check(CLI::Range(0.001, 1000.0));
    sub->add_option("number", number, "of threads or hogs")->required()->check(CLI::Range(0, 64));
    return sub;
  };
  command("spin", "threads that only compute")->callback([&] { spin(setting, number); });
  command("yield", "a sched_yield beside hogs")->callback([&] { yield(setting, number); });
  CLI::App* const sleeps = command("sleep", "a thread that sleeps 1 ms, beside hogs");
  sleeps->add_option("slice-us", slice_us)->required();
  sleeps->callback([&] { sleep_beside(setting, number, slice_us * kUs); });
  CLI::App* const pair = command("barrier", "two threads at barriers, beside hogs");
  pair->add_option("work-us", work_us)->required();
  pair->add_option("policy", policy)
      ->required()
      ->check(CLI::IsMember({"block", "spin", "yield", "20us"}));
  pair->callback([&] { barrier(setting, number, static_cast<Time>(work_us * 1000), policy); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
}

}  // namespace
}  // namespace muster::smp

int main(int argc, char** argv) { muster::smp::run(argc, argv); }
