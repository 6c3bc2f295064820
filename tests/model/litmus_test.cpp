// The checker itself: for programs of two to four threads with known outcomes, it must find exactly those. Each thread
// records what it read in plain memory of its own.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/model/checked_memory.h"
#include "tests/model/explorer.h"

namespace muster::model {
namespace {

using Word = CheckedMemory::Atomic<std::uint32_t>;
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kBoth = std::memory_order_acq_rel;
constexpr auto kOrdered = std::memory_order_seq_cst;

struct Words {
  Word x{0};
  Word y{0};
  Word z{0};
};
using Body = std::function<void(Words&)>;
using Outcomes = std::set<std::vector<std::uint64_t>>;

constexpr unsigned kPayload = 12;  // plain memory below it: what was read

class Litmus : public Program {
 public:
  Litmus(std::vector<Body> bodies, unsigned notes, Outcomes& outcomes)
      : bodies_(std::move(bodies)), notes_(notes), outcomes_(outcomes) {}
  unsigned threads() const override { return static_cast<unsigned>(bodies_.size()); }
  void thread(unsigned me) override { bodies_[me](words_); }
  void ended() override {
    std::vector<std::uint64_t> found;
    for (unsigned i = 0; i < notes_; ++i) found.push_back(g_world->state().cell[i].value);
    outcomes_.insert(found);
  }

 private:
  const std::vector<Body> bodies_;
  const unsigned notes_;
  Outcomes& outcomes_;
  Words words_;
};

struct Result {
  Outcomes outcomes;
  Report report;
};

Result outcomes_of(unsigned notes, const std::vector<Body>& bodies,
                   Fences fences = Fences::kAsymmetric, unsigned wakes_for_nothing = 0) {
  Result out;
  Settings settings;
  settings.threads = static_cast<unsigned>(bodies.size());
  settings.fences = fences;
  settings.wakes_for_nothing = wakes_for_nothing;
  out.report =
      explore(settings, [&] { return std::make_unique<Litmus>(bodies, notes, out.outcomes); });
  return out;
}

// Records what was read, and optionally the words' final values in the order of their writing.
void note(unsigned where, std::uint64_t value) { g_world->write(where, value); }

Result message_passing(std::memory_order store, std::memory_order load) {
  return outcomes_of(2, {[=](Words& w) {
                           w.x.store(1, kRelaxed);
                           w.y.store(1, store);
                         },
                         [=](Words& w) {
                           note(0, w.y.load(load));
                           note(1, w.x.load(kRelaxed));
                         }});
}

TEST(Litmus, MessagePassing) {
  const Outcomes all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const Outcomes ordered{{0, 0}, {0, 1}, {1, 1}};
  EXPECT_EQ(message_passing(kRelaxed, kRelaxed).outcomes, all);
  EXPECT_EQ(message_passing(kRelease, kRelaxed).outcomes, all);
  EXPECT_EQ(message_passing(kRelaxed, kAcquire).outcomes, all);
  EXPECT_EQ(message_passing(kRelease, kAcquire).outcomes, ordered);
}

TEST(Litmus, MessagePassingByFences) {
  const auto run = [](bool first, bool second) {
    return outcomes_of(2, {[=](Words& w) {
                             w.x.store(1, kRelaxed);
                             if (first) g_world->fence(Kind::kReleaseFence, Place::current());
                             w.y.store(1, kRelaxed);
                           },
                           [=](Words& w) {
                             note(0, w.y.load(kRelaxed));
                             if (second) g_world->fence(Kind::kAcquireFence, Place::current());
                             note(1, w.x.load(kRelaxed));
                           }})
        .outcomes.contains({1, 0});
  };
  EXPECT_TRUE(run(false, false));
  EXPECT_TRUE(run(true, false));
  EXPECT_TRUE(run(false, true));
  EXPECT_FALSE(run(true, true));
}

TEST(Litmus, PlainMemoryRacesWithoutOrder) {
  const auto run = [](std::memory_order store, std::memory_order load) {
    return outcomes_of(1, {[=](Words& w) {
                             g_world->write(kPayload, 7);
                             w.x.store(1, store);
                           },
                           [=](Words& w) {
                             if (w.x.load(load) == 1) note(0, g_world->read(kPayload));
                           }});
  };
  EXPECT_EQ(run(kRelease, kAcquire).report.fault, Fault::kNone);
  EXPECT_EQ(run(kRelease, kAcquire).outcomes, (Outcomes{{0}, {7}}));
  EXPECT_EQ(run(kRelaxed, kAcquire).report.fault, Fault::kRace);
  EXPECT_EQ(run(kRelease, kRelaxed).report.fault, Fault::kRace);
}

TEST(Litmus, AReleaseSequenceGoesOnThroughUpdatesAndNotThroughStores) {
  const auto run = [](bool updates) {
    return outcomes_of(1, {[](Words& w) {
                             g_world->write(kPayload, 7);
                             w.x.store(1, kRelease);
                           },
                           [=](Words& w) {
                             if (updates) {
                               w.x.fetch_add(1, kRelaxed);
                             } else if (w.x.load(kRelaxed) == 1) {
                               w.x.store(2, kRelaxed);
                             }
                           },
                           [](Words& w) {
                             if (w.x.load(kAcquire) == 2) note(0, g_world->read(kPayload));
                           }})
        .report.fault;
  };
  EXPECT_EQ(run(true), Fault::kNone);
  EXPECT_EQ(run(false), Fault::kRace);
}

TEST(Litmus, StoreBuffering) {
  const auto run = [](std::memory_order store, std::memory_order load) {
    return outcomes_of(2, {[=](Words& w) {
                             w.x.store(1, store);
                             note(0, w.y.load(load));
                           },
                           [=](Words& w) {
                             w.y.store(1, store);
                             note(1, w.x.load(load));
                           }})
        .outcomes;
  };
  EXPECT_EQ(run(kRelease, kAcquire), (Outcomes{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(run(kOrdered, kOrdered), (Outcomes{{0, 1}, {1, 0}, {1, 1}}));
}

using Fence = void (*)();
void full() { CheckedMemory::full_fence(); }
void light() { CheckedMemory::light_fence(); }
void heavy() { CheckedMemory::heavy_fence(); }

bool buffers_stores(Fence first, Fence second, Fences fences) {
  return outcomes_of(2,
                     {[=](Words& w) {
                        w.x.store(1, kRelaxed);
                        first();
                        note(0, w.y.load(kRelaxed));
                      },
                      [=](Words& w) {
                        w.y.store(1, kRelaxed);
                        second();
                        note(1, w.x.load(kRelaxed));
                      }},
                     fences)
      .outcomes.contains({0, 0});
}

TEST(Litmus, FencesOfUnequalPrice) {
  const auto nothing = [] {};
  EXPECT_FALSE(buffers_stores(full, full, Fences::kAsymmetric));
  EXPECT_TRUE(buffers_stores(full, nothing, Fences::kAsymmetric));
  EXPECT_TRUE(buffers_stores(light, light, Fences::kAsymmetric));
  EXPECT_TRUE(buffers_stores(light, full, Fences::kAsymmetric));
  EXPECT_TRUE(buffers_stores(heavy, nothing, Fences::kAsymmetric));
  EXPECT_FALSE(buffers_stores(light, heavy, Fences::kAsymmetric));
  EXPECT_FALSE(buffers_stores(heavy, heavy, Fences::kAsymmetric));
  EXPECT_FALSE(buffers_stores(full, heavy, Fences::kAsymmetric));
  EXPECT_FALSE(buffers_stores(light, light, Fences::kSymmetric));
  EXPECT_TRUE(buffers_stores(light, heavy, Fences::kRefused));
}

TEST(Litmus, IndependentReadsOfIndependentWrites) {
  const auto run = [](std::memory_order store, std::memory_order load) {
    return outcomes_of(
               4, {[=](Words& w) { w.x.store(1, store); }, [=](Words& w) { w.y.store(1, store); },
                   [=](Words& w) {
                     note(0, w.x.load(load));
                     note(1, w.y.load(load));
                   },
                   [=](Words& w) {
                     note(2, w.y.load(load));
                     note(3, w.x.load(load));
                   }})
        .outcomes;
  };
  EXPECT_EQ(run(kRelease, kAcquire).size(), 16U);
  const Outcomes ordered = run(kOrdered, kOrdered);
  EXPECT_EQ(ordered.size(), 15U);
  EXPECT_FALSE(ordered.contains({1, 0, 1, 0}));
}

// Which store is last in the order of each word, after all threads have finished with both.
TEST(Litmus, TwoStoresEach) {
  const auto run = [](std::memory_order order) {
    return outcomes_of(2, {[=](Words& w) {
                             w.x.store(1, order);
                             w.y.store(2, order);
                             w.z.fetch_add(1, kBoth);
                           },
                           [=](Words& w) {
                             w.y.store(1, order);
                             w.x.store(2, order);
                             w.z.fetch_add(1, kBoth);
                           },
                           [=](Words& w) {
                             while (w.z.load(kAcquire) != 2) CheckedMemory::pause();
                             // An update reads the newest message; there is no choice left.
                             note(0, w.x.load(kAcquire));
                             note(1, w.y.load(kAcquire));
                           }})
        .outcomes;
  };
  const Outcomes relaxed = run(kRelease);
  EXPECT_TRUE(relaxed.contains({1, 1}));
  EXPECT_TRUE(relaxed.contains({2, 2}));
  EXPECT_TRUE(relaxed.contains({1, 2}));
  EXPECT_TRUE(relaxed.contains({2, 1}));
  const Outcomes ordered = run(kOrdered);
  EXPECT_FALSE(ordered.contains({1, 1}));
  EXPECT_EQ(ordered.size(), 3U);
}

TEST(Litmus, Coherence) {
  const Result result = outcomes_of(2, {[](Words& w) {
                                          w.x.store(1, kRelaxed);
                                          w.x.store(2, kRelaxed);
                                        },
                                        [](Words& w) {
                                          note(0, w.x.load(kRelaxed));
                                          note(1, w.x.load(kRelaxed));
                                        }});
  EXPECT_EQ(result.outcomes, (Outcomes{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

TEST(Litmus, LoadsAndStoresAreNotExchanged) {  // load buffering: RC11 forbids it
  const Result result = outcomes_of(2, {[](Words& w) {
                                          note(0, w.x.load(kRelaxed));
                                          w.y.store(1, kRelaxed);
                                        },
                                        [](Words& w) {
                                          note(1, w.y.load(kRelaxed));
                                          w.x.store(1, kRelaxed);
                                        }});
  EXPECT_EQ(result.outcomes, (Outcomes{{0, 0}, {0, 1}, {1, 0}}));
}

TEST(Litmus, UpdatesAreAtomic) {
  const Body add = [](Words& w) { note(g_world->running(), w.x.fetch_add(1, kRelaxed)); };
  EXPECT_EQ(outcomes_of(3, {add, add, add}).outcomes,
            (Outcomes{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}));
}

TEST(Litmus, AWeakCompareAndSwapMayFailForNothing) {
  const Result result =
      outcomes_of(1, {[](Words& w) {
                    std::uint32_t expected = 0;
                    note(0, w.x.compare_exchange_weak(expected, 1, kBoth, kRelaxed));
                  }});
  EXPECT_EQ(result.outcomes, (Outcomes{{0}, {1}}));
}

// A wake without a sleeper is not remembered; the comparison is what prevents a lost wake-up.
Result sleeping(bool raises, unsigned wakes_for_nothing = 0) {
  return outcomes_of(1,
                     {[=](Words& w) {
                        w.x.store(1, kRelease);
                        if (raises) w.y.fetch_add(1, kRelease);
                        CheckedMemory::wake_all(w.y);
                      },
                      [](Words& w) {
                        for (;;) {
                          const std::uint32_t seen = w.y.load(kAcquire);
                          if (w.x.load(kAcquire) == 1) break;
                          note(0, CheckedMemory::wait(w.y, seen, false));
                        }
                      }},
                     Fences::kAsymmetric, wakes_for_nothing);
}

TEST(Litmus, ALostWakeUpIsFound) {
  EXPECT_EQ(sleeping(true).report.fault, Fault::kNone);
  const Report lost = sleeping(false).report;
  EXPECT_EQ(lost.fault, Fault::kDeadlock);
  EXPECT_NE(lost.text.find("thread 1 sleeps"), std::string::npos) << lost.text;
  EXPECT_FALSE(lost.trace.empty());
  EXPECT_EQ(sleeping(false, 1).report.fault, Fault::kDeadlock);  // it may wake up, but need not
}

// Two detours that the fault does not need: some order of search finds it without them.
TEST(Litmus, ATraceIsShortened) {
  const Body detour = [](Words& w) {
    w.y.fetch_add(1, kRelaxed);
    w.y.fetch_add(1, kRelaxed);
  };
  const std::vector<Body> bodies{detour, [](Words& w) { w.x.store(1, kRelaxed); },
                                 [](Words& w) {
                                   if (w.x.load(kRelaxed) == 1) note(0, g_world->read(kPayload));
                                   w.y.fetch_add(1, kRelaxed);
                                   g_world->must_hold(kPayload, 1);
                                 }};
  Settings settings;
  settings.threads = 3;
  Outcomes outcomes;
  const MakeProgram make = [&] { return std::make_unique<Litmus>(bodies, 0, outcomes); };
  const Report found = explore(settings, make);
  ASSERT_EQ(found.fault, Fault::kWrongValue);
  const Report report = shortened(found, settings, make);
  EXPECT_EQ(report.fault, Fault::kWrongValue);
  EXPECT_LT(report.trace.size(), found.trace.size());
}

TEST(Litmus, ALimitedSleepEnds) {
  const Result result = outcomes_of(1, {[](Words& w) { w.x.store(1, kRelease); },
                                        [](Words& w) {
                                          while (w.x.load(kAcquire) == 0) {
                                            CheckedMemory::wait(w.y, 0, true);
                                          }
                                        }});
  EXPECT_EQ(result.report.fault, Fault::kNone);
}

TEST(Litmus, APollSeesWhatIsStoredAndWaitsForItOnly) {
  const Body waits = [](Words& w) {
    while (w.x.load(kAcquire) == 0) CheckedMemory::pause();
    note(0, g_world->read(kPayload));
  };
  const Result good = outcomes_of(1, {[](Words& w) {
                                        g_world->write(kPayload, 7);
                                        w.x.store(1, kRelease);
                                      },
                                      waits});
  EXPECT_EQ(good.report.fault, Fault::kNone);
  EXPECT_EQ(good.outcomes, (Outcomes{{7}}));
  EXPECT_EQ(outcomes_of(1, {[](Words& w) { w.y.store(1, kRelease); }, waits}).report.fault,
            Fault::kDeadlock);
}

TEST(Litmus, ALoopOfPollsThatEndsByItselfIsSeenToEndAndNotTo) {
  const Result result = outcomes_of(1, {[](Words& w) { w.x.store(1, kRelaxed); },
                                        [](Words& w) {
                                          bool seen = false;
                                          for (int i = 0; i < 100 && !seen; ++i) {
                                            seen = w.x.load(kRelaxed) == 1;
                                          }
                                          note(0, seen);
                                        }});
  EXPECT_EQ(result.outcomes, (Outcomes{{0}, {1}}));
}

// Stores that bypass the order of release stores are seen only if they were drained before.
TEST(Litmus, BypassingStoresMustBeDrained) {
  const auto run = [](bool drains) {
    return outcomes_of(1, {[=](Words& w) {
                             g_world->write(kPayload, 7, /*bypassing=*/true);
                             if (drains) CheckedMemory::drain_stores();
                             w.x.store(1, kRelease);
                           },
                           [](Words& w) {
                             if (w.x.load(kAcquire) == 1) note(0, g_world->read(kPayload));
                           }})
        .report.fault;
  };
  EXPECT_EQ(run(true), Fault::kNone);
  EXPECT_EQ(run(false), Fault::kRace);
}

}  // namespace
}  // namespace muster::model
