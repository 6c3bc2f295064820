// Proof that the memory orders are needed: the same algorithms on a Memory whose orders are
// weakened on purpose. Under ThreadSanitizer this program must be reported (exit status 66).
//
//   weakened ALGORITHM stores|loads|updates|none
#include <cstdio>
#include <cstring>
#include <string>

#include "tests/support/team_harness.h"

namespace muster::test {
namespace {

bool g_weak_stores = false;
bool g_weak_loads = false;
bool g_weak_updates = false;

struct WeakenedMemory : NativeMemory {
  template <class T>
  class Atomic {
   public:
    Atomic() = default;
    explicit constexpr Atomic(T value) : value_(value) {}
    T load(std::memory_order order) const {
      return value_.load(g_weak_loads ? std::memory_order_relaxed : order);
    }
    void store(T value, std::memory_order order) {
      value_.store(value, g_weak_stores ? std::memory_order_relaxed : order);
    }
    T fetch_add(T value, std::memory_order order) {
      return value_.fetch_add(value, g_weak_updates ? std::memory_order_relaxed : order);
    }
    T exchange(T value, std::memory_order order) { return value_.exchange(value, order); }
    bool compare_exchange_weak(T& expected, T value, std::memory_order order,
                               std::memory_order failed) {
      return value_.compare_exchange_weak(
          expected, value, g_weak_updates ? std::memory_order_relaxed : order, failed);
    }
    std::atomic<T>& native() { return value_; }

   private:
    std::atomic<T> value_{};
  };

  static bool wait(Atomic<std::uint32_t>& word, std::uint32_t expected, bool limited) {
    return futex_wait(word.native(), expected, limited);
  }
  static void wake_all(Atomic<std::uint32_t>& word) { futex_wake_all(word.native()); }
};
static_assert(Memory<WeakenedMemory>);

int run(BarrierKind kind) {
  constexpr unsigned kThreads = 3;
  TestTeam<WeakenedMemory> team(kind, WaitKind::kYield, kThreads);
  std::uint64_t payload[kThreads] = {};
  std::uint64_t sum[kThreads] = {};
  team.run([&](unsigned me) {
    for (Episode episode = 1; episode <= 200; episode += 2) {
      payload[me] = episode;
      team.arrive(me, episode);
      for (const std::uint64_t value : payload) sum[me] += value;
      team.arrive(me, episode + 1);
    }
  });
  std::printf("%llu\n", static_cast<unsigned long long>(sum[0]));
  return 0;
}

}  // namespace
}  // namespace muster::test

int main(int count, char** arguments) {
  using namespace muster;
  if (count != 3) return 2;
  const std::string weak = arguments[2];
  test::g_weak_stores = weak == "stores";
  test::g_weak_loads = weak == "loads";
  test::g_weak_updates = weak == "updates";
  for (const BarrierKind kind : test::algorithms()) {
    if (std::strcmp(name_of(kind), arguments[1]) == 0) return test::run(kind);
  }
  return 2;
}
