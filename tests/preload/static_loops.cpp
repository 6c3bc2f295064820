// Calls __kmpc_for_static_init_* and __kmpc_dist_for_static_init_* at random, through Muster if it is preloaded, and
// compares all that they set with what the runtime's own functions set. Arguments: calls in each thread and context,
// seed. Prints the number of calls; the first differences on stderr, and ends with 1.
#include <dlfcn.h>
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <type_traits>

extern "C" int __kmpc_global_thread_num(void*);

template <class T>
using Signed = std::make_signed_t<T>;
template <class T>
using Init = void(void*, int, int, int*, T*, T*, Signed<T>*, Signed<T>, Signed<T>);
template <class T>
using LeagueInit = void(void*, int, int, int*, T*, T*, T*, Signed<T>*, Signed<T>, Signed<T>);

#define DECLARE(suffix, T)                            \
  extern "C" Init<T> __kmpc_for_static_init_##suffix; \
  extern "C" LeagueInit<T> __kmpc_dist_for_static_init_##suffix;
DECLARE(4, int)
DECLARE(4u, unsigned)
DECLARE(8, long)
DECLARE(8u, unsigned long)

namespace {

enum Context { kRegion, kLeague, kLeagueRegion };

std::atomic<long> g_calls{0}, g_different{0};

void* runtime() {
  static void* const handle = dlopen("libomp.so.5", RTLD_LAZY | RTLD_NOLOAD);
  return handle;
}

// The two functions of a type, as the program is bound to them and in the runtime.
template <class T>
struct Pair {
  Init<T>* init[2];
  LeagueInit<T>* league_init[2];
};
template <class T>
Pair<T> pair_of(const char* init, Init<T>* bound, const char* league, LeagueInit<T>* bound_league) {
  return {{bound, reinterpret_cast<Init<T>*>(dlsym(runtime(), init))},
          {bound_league, reinterpret_cast<LeagueInit<T>*>(dlsym(runtime(), league))}};
}
#define PAIR(suffix, T)                                                               \
  const Pair<T> g_pair_##suffix =                                                     \
      pair_of<T>("__kmpc_for_static_init_" #suffix, &__kmpc_for_static_init_##suffix, \
                 "__kmpc_dist_for_static_init_" #suffix, &__kmpc_dist_for_static_init_##suffix);
PAIR(4, int)
PAIR(4u, unsigned)
PAIR(8, long)
PAIR(8u, unsigned long)

template <class T>
struct Outputs {
  int last = 5;
  T lower, upper, team_upper = 55;
  Signed<T> stride = 77;
  bool operator==(const Outputs&) const = default;
};

using Random = std::mt19937_64;

// Small ones, the ends of the range, and any.
template <class T>
T number(Random& random) {
  using Limits = std::numeric_limits<T>;
  const auto small = static_cast<T>(random() % 20);
  switch (random() % 5) {
    case 0:
      return small;
    case 1:
      return static_cast<T>(T{0} - small);
    case 2:
      return static_cast<T>(Limits::max() - small);
    case 3:
      return static_cast<T>(Limits::min() + small);
    default:
      return static_cast<T>(random() >> random() % 64);
  }
}

template <class T>
struct Arguments {
  explicit Arguments(Random& random, Context context) {
    start.lower = number<T>(random);
    start.upper = number<T>(random);
    if (random() % 2 == 0) {
      start.upper = static_cast<T>(static_cast<unsigned long>(start.lower) + random() % 100);
    }
    step = random() % 2 == 0 ? number<Signed<T>>(random) : static_cast<Signed<T>>(random() % 7) - 3;
    chunk =
        random() % 2 == 0 ? number<Signed<T>>(random) : static_cast<Signed<T>>(random() % 9) - 2;
    if (context == kLeagueRegion) {
      constexpr int kKinds[] = {33, 34};
      schedule = kKinds[random() % 2];
      return;
    }
    constexpr int kKinds[] = {33, 34, 45, 91, 92, 34 | 1 << 30, 34 | 1 << 29};
    schedule = kKinds[random() % (context == kLeague ? 5 : 3)];
    // libomp 14 takes a modifier for another schedule, for which it looks at the enclosing team.
    const bool is_plain = context == kRegion && omp_get_level() == 1 && omp_get_num_threads() > 1;
    if (is_plain && random() % 50 == 0) schedule = kKinds[5 + random() % 2];
    if (schedule == 45) chunk = Signed<T>{1} << random() % 6;
  }

  // The rest may end the program in the runtime: no step, no chunk, as many iterations as the type has values or, where
  // the size of chunks is rounded up, half as many.
  bool is_harmless() const {
    if (step == 0 || chunk == 0) return false;
    const bool up = step > 0;
    const auto most = static_cast<__int128>(std::numeric_limits<std::make_unsigned_t<T>>::max());
    const __int128 distance =
        static_cast<__int128>(up ? start.upper : start.lower) - (up ? start.lower : start.upper);
    if (schedule == 45 && distance > most / 2) return false;
    return distance != most || (step != 1 && step != -1);
  }

  Outputs<T> start;
  Signed<T> step, chunk;
  int schedule;
};

template <class T>
void compare(const Pair<T>& pair, Random& random, int thread, Context context) {
  const Arguments<T> call(random, context);
  if (!call.is_harmless()) return;
  const bool in_league = context == kLeagueRegion && random() % 2 == 0;
  Outputs<T> out[2] = {call.start, call.start};
  for (int i = 0; i < 2; ++i) {
    Outputs<T>& each = out[i];
    if (in_league) {
      pair.league_init[i](nullptr, thread, call.schedule, &each.last, &each.lower, &each.upper,
                          &each.team_upper, &each.stride, call.step, call.chunk);
    } else {
      pair.init[i](nullptr, thread, call.schedule, &each.last, &each.lower, &each.upper,
                   &each.stride, call.step, call.chunk);
    }
  }
  ++g_calls;
  if (out[0] == out[1] || ++g_different > 10) return;
  std::fprintf(
      stderr,
      "%zu bytes, schedule %d, %lld to %lld by %lld, chunk %lld, thread %d of %d, team %d of %d\n",
      sizeof(T), call.schedule, static_cast<long long>(call.start.lower),
      static_cast<long long>(call.start.upper), static_cast<long long>(call.step),
      static_cast<long long>(call.chunk), omp_get_thread_num(), omp_get_num_threads(),
      omp_get_team_num(), omp_get_num_teams());
}

int g_rounds;
unsigned long g_seed;

void compare_all(Context context) {
  Random random(g_seed +
                static_cast<unsigned long>(omp_get_thread_num() + 100 * omp_get_team_num()));
  const int thread = __kmpc_global_thread_num(nullptr);
  for (int i = 0; i < g_rounds; ++i) {
    compare(g_pair_4, random, thread, context);
    compare(g_pair_4u, random, thread, context);
    compare(g_pair_8, random, thread, context);
    compare(g_pair_8u, random, thread, context);
  }
}

}  // namespace

int main(int count, char** words) {
  g_rounds = count > 1 ? std::atoi(words[1]) : 100;
  g_seed = count > 2 ? std::strtoul(words[2], nullptr, 10) : 1;
  compare_all(kRegion);                          // orphaned
  for (int region = 0; region < 40; ++region) {  // so that a fold is open, then of other sizes
    const int threads = region < 30 ? 2 : 1 + region % 7;
#pragma omp parallel num_threads(threads)
    compare_all(kRegion);
    ++g_seed;
  }
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel if (0)
    compare_all(kRegion);
#pragma omp parallel num_threads(3)
    compare_all(kRegion);
#pragma omp task
    compare_all(kRegion);
#pragma omp taskwait
    compare_all(kRegion);
  }
  // muster-test: race teams: Archer does not see a league begin or end
  for (int teams = 1; teams <= 3; ++teams) {
#pragma omp teams num_teams(teams) thread_limit(3)
    {
      if (omp_get_num_teams() == 3) compare_all(kLeague);
#pragma omp parallel num_threads(teams == 3 ? 2 : 3)
      compare_all(kLeagueRegion);
    }
  }
  std::printf("%ld calls\n", g_calls.load());
  return g_different == 0 ? 0 : 1;
}
