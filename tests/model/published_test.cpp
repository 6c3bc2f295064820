// The barriers of Zhang et al. with what they set back (sim/published), in every execution that C++ allows of small
// programs; and that the two counter arrays of section 3.3 are one too few.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/published/barriers.h"
#include "tests/model/checked_memory.h"
#include "tests/model/explorer.h"

namespace muster::model {
namespace {

using published::Reading;
using published::Scan;

struct Subject {
  const char* barrier;
  unsigned threads;
  unsigned episodes;
  Reading reading;
};

// As `barriers` of programs.cpp: each thread writes before an instance what all read after it.
class PublishedProgram : public Program {
 public:
  explicit PublishedProgram(const Subject& subject)
      : subject_(subject),
        barrier_(published::make<CheckedMemory>(subject.barrier, subject.threads, kLine,
                                                subject.reading)) {}

  unsigned threads() const override { return subject_.threads; }

  void thread(unsigned me) override {
    for (Episode episode = 1; episode <= subject_.episodes; ++episode) {
      g_world->at_episode(episode);
      g_world->write(payload(me, episode), episode);
      barrier_->arrive_and_wait(me, episode);
      for (unsigned i = 0; i < subject_.threads; ++i)
        g_world->must_hold(payload(i, episode), episode);
      g_world->settle(episode);
    }
  }

 private:
  static constexpr std::size_t kLine = 128;
  static unsigned payload(unsigned thread, Episode episode) {
    return 2 * thread + static_cast<unsigned>(episode % 2);
  }

  const Subject subject_;
  std::unique_ptr<published::Barrier<CheckedMemory>> barrier_;
};

Report explored(const Subject& subject, Mutation mutation = {}) {
  Settings settings;
  settings.mutation = mutation;
  settings.threads = subject.threads;
  settings.wakes_for_nothing = 0;
  settings.most_states = 5'000'000;
  return explore(settings, [&] { return std::make_unique<PublishedProgram>(subject); });
}

std::string text(const Subject& subject, const Report& report) {
  return std::string(subject.barrier) + ", " + std::to_string(subject.threads) + " threads, scan " +
         std::to_string(static_cast<int>(subject.reading.scan)) + ": " + report.text;
}

TEST(Published, TwoThreadsPassEachInstanceTogether) {
  for (const char* barrier : published::kNames) {
    for (const Scan scan : {Scan::kWhole, Scan::kFromStart, Scan::kFromWaited}) {
      for (const bool loads_first : {false, true}) {
        const Subject subject{barrier, 2, 5, {.loads_first = loads_first, .scan = scan}};
        const Report report = explored(subject);
        EXPECT_EQ(report.fault, Fault::kNone) << text(subject, report);
        EXPECT_TRUE(report.complete) << text(subject, report);
      }
    }
  }
}

TEST(Published, ThreeThreadsPassEachInstanceTogether) {
  for (const char* barrier : published::kNames) {
    const Subject subject{barrier, 3, 4, {.scan = Scan::kFromWaited}};
    const Report report = explored(subject);
    EXPECT_EQ(report.fault, Fault::kNone) << text(subject, report);
    EXPECT_TRUE(report.complete) << text(subject, report) << report.states;
  }
}

// Weakened, each order lets some program go wrong.
TEST(Published, EachOrderIsNeeded) {
  for (const char* barrier : published::kNames) explored({barrier, 2, 5, {}});
  const std::size_t known = sites().size();
  unsigned orders = 0;
  for (std::size_t site = 1; site < known; ++site) {
    if (!sites()[site].file.starts_with("published/")) continue;
    for (const Change change : changes_at(sites()[site])) {
      if (change == Change::kFlag || change == Change::kCountFlag) continue;  // of episodes
      const Mutation mutation{static_cast<std::uint16_t>(site), change};
      EXPECT_TRUE(std::ranges::any_of(published::kNames,
                                      [&](const char* barrier) {
                                        return explored({barrier, 2, 5, {}}, mutation).fault !=
                                               Fault::kNone;
                                      }))
          << text_of(sites()[site]) << " -> " << name_of(change);
      ++orders;
    }
  }
  EXPECT_GE(orders, 6U);
}

// Instance 1 leaves zeros in its array. At instance 3 a thread finds there the zero of another that is still at 2.
TEST(Published, TwoArraysAreOneTooFew) {
  for (const char* barrier : {"DistCounter", "DistCounterPad"}) {
    const Subject subject{barrier, 2, 4, {.sets = 2}};
    EXPECT_NE(explored(subject).fault, Fault::kNone) << barrier;
  }
}

}  // namespace
}  // namespace muster::model
