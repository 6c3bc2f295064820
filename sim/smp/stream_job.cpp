#include "sim/smp/stream_job.h"

#include <cmath>

#include "sim/smp/two_phase.h"

namespace muster::smp {
namespace {

class Stream : public TwoPhase {
 public:
  using TwoPhase::TwoPhase;

  std::uint64_t barriers() const override { return due_.size() * barriers_of_update(); }
  std::vector<Time> latencies() const override { return latencies_; }
  std::size_t updates() const override { return due_.size(); }

 private:
  class Member : public Thread {
   public:
    Member(Stream& stream, unsigned number, Intervals intervals)
        : Thread(stream, number, intervals), stream_(stream) {}

   private:
    Demand begin(Machine& machine, Task& me) override { return await(machine, me); }

    Demand passed(Machine& machine, Task& me) override {
      const std::uint64_t of_update = waits().barriers % stream_.barriers_of_update();
      if (of_update != 0) return compute();
      const std::uint64_t done = waits().barriers / stream_.barriers_of_update();
      if (number() == 0) stream_.latencies_.push_back(machine.now() - stream_.due_[done - 1]);
      return await(machine, me);
    }

    // The barrier before an update, if there is one.
    Demand await(Machine& machine, Task& me) {
      const std::uint64_t done = waits().barriers / stream_.barriers_of_update();
      if (done == stream_.due_.size()) return exit(machine);
      const Time left = stream_.due_[done] - machine.now();
      return number() == 0 && left > 0 ? sleep(left) : arrive(machine, me);
    }

    Stream& stream_;
  };

  std::uint64_t barriers_of_update() const { return 1 + plan().barriers; }

  void draw(std::uint64_t seed) override {
    const Arrivals& arrivals = *plan().stream;
    MixedNumbers numbers((seed ^ 0x2545F4914F6CDD1DU) * 0x9E3779B97F4A7C15U + number());
    numbers.next();
    for (double at = 0;;) {
      at -= static_cast<double>(arrivals.gap) * std::log((numbers.next() + 1.0) / 4294967296.0);
      if (at >= static_cast<double>(arrivals.until)) break;
      for (unsigned i = 1; i <= arrivals.burst; ++i) {
        const Time due = plan().arrives + std::llround(at) + i * arrivals.fill;
        due_.push_back(due_.empty() ? due : std::max(due, due_.back()));
      }
    }
  }

  std::unique_ptr<Behaviour> behaviour(unsigned thread, Intervals intervals) override {
    return std::make_unique<Member>(*this, thread, intervals);
  }

  std::vector<Time> due_;
  std::vector<Time> latencies_;
};

}  // namespace

std::unique_ptr<Job> make_stream(const JobPlan& plan, unsigned number, Time budget) {
  return std::make_unique<Stream>(plan, number, budget);
}

}  // namespace muster::smp
