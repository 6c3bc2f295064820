// Random OpenMP constructs in several root threads for a while, each checked, while signals arrive. The driver (run.py)
// disturbs it from outside and watches the counter of steps.
//
// usage: torture SECONDS SEED PLUGIN COUNTER-FILE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "constructs.h"
#include "serial_parts.h"

namespace torture {
namespace {

const char* g_plugin = nullptr;
std::atomic<std::uint64_t>* g_steps = nullptr;  // in a file that the driver reads

struct Step {
  const char* name;
  void (*run)(Random&);
  int weight;
};
constexpr Step kSteps[] = {
    {"barriers", barriers, 8},
    {"loops", loops, 6},
    {"combined", combined, 4},
    {"singles", singles, 4},
    {"tasks", tasks, 4},
    {"nested", nested, 2},
    {"settings", settings, 2},
    {"orphans", orphans, 2},
    {"outer_task", root_task, 2},
    {"waits", waits, 2},
    {"forks", forks, 1},
    {"spawns", spawns, 1},
    {"plugin", [](Random& random) { plugin(random, g_plugin); }, 1},
};
// TORTURE_STEPS and TORTURE_ROOT_STEPS=name,name: these only, in the initial thread and in the others.
class Steps {
 public:
  void choose(const char* names) {
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
      is_on_[i] = names == nullptr || std::strstr(names, kSteps[i].name) != nullptr;
      if (is_on_[i]) weights_ += kSteps[i].weight;
    }
  }
  bool empty() const { return weights_ == 0; }

  void run_one(Random& random) const {
    int drawn = random.between(1, weights_);
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
      if (!is_on_[i]) continue;
      drawn -= kSteps[i].weight;
      if (drawn > 0) continue;
      kSteps[i].run(random);
      break;
    }
    g_steps->fetch_add(1, std::memory_order_relaxed);
  }

 private:
  bool is_on_[std::size(kSteps)] = {};
  int weights_ = 0;
};

Steps g_initial_steps;
Steps g_root_steps;

double seconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A root thread: some steps, then it ends, in one way or the other.
struct Root {
  pthread_t thread{};
  std::uint64_t seed = 0;
  std::atomic<bool> done{false};
  bool runs = false;

  static void* run(void* root) {
    Root& self = *static_cast<Root*>(root);
    Random random(self.seed);
    for (int left = random.between(1, 60); left > 0; --left) {
      g_root_steps.run_one(random);
    }
    self.done.store(true, std::memory_order_release);
    if (random.one_in(2)) pthread_exit(nullptr);
    return nullptr;
  }
};

class Roots {
 public:
  void replace_finished(Random& random) {
    for (Root& root : roots_) {
      if (root.runs && !root.done.load(std::memory_order_acquire)) continue;
      if (root.runs) pthread_join(root.thread, nullptr);
      root.runs = false;
      if (random.one_in(3)) continue;
      root.seed = random.next();
      root.done.store(false);
      root.runs = pthread_create(&root.thread, nullptr, &Root::run, &root) == 0;
    }
  }
  void join() {
    for (Root& root : roots_) {
      if (root.runs) pthread_join(root.thread, nullptr);
    }
  }

 private:
  Root roots_[2];
};

// The driver stops single threads by SIGUSR1.
void stop_for_a_while(int) {
  const int saved = errno;
  const timespec time{0, 15'000'000};
  nanosleep(&time, nullptr);
  errno = saved;
}
void ignore(int) {}

void take_signals() {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = stop_for_a_while;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = ignore;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval every{{0, 7'000}, {0, 7'000}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

std::atomic<std::uint64_t>* map_counter(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* place = mmap(nullptr, sizeof(*g_steps), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return place != MAP_FAILED ? static_cast<std::atomic<std::uint64_t>*>(place) : nullptr;
}

}  // namespace
}  // namespace torture

int main(int count, char** arguments) {
  using namespace torture;
  if (count != 5) return 2;
  g_plugin = arguments[3];
  g_steps = map_counter(arguments[4]);
  if (g_steps == nullptr) return 2;
  g_initial_steps.choose(std::getenv("TORTURE_STEPS"));
  g_root_steps.choose(std::getenv("TORTURE_ROOT_STEPS"));
  if (g_initial_steps.empty() || g_root_steps.empty()) return 2;
  take_signals();
  omp_set_max_active_levels(2);
  Random random(std::strtoull(arguments[2], nullptr, 10));
  Roots roots;
  const double end = seconds() + std::atof(arguments[1]);
  while (seconds() < end) {
    roots.replace_finished(random);
    for (int i = 0; i < 5; ++i) g_initial_steps.run_one(random);
  }
  roots.join();
  std::puts("right");
  return 0;
}
