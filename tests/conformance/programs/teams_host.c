// `teams` on the host: leagues of teams, each with parallel regions of its own.
// muster-test: env KMP_TEAMS_THREAD_LIMIT=8
// muster-test: any-replacement
// muster-test: race main: Archer does not see a league begin or end
#include "check.h"

static long cell[8][kMaxThreads];

int main(void) {
  long long checksum = 0;
  for (int round = 0; round < 6; ++round) {
    long total = 0;
#pragma omp teams num_teams(2) thread_limit(3) reduction(+ : total)
    {
      int team = omp_get_team_num();
#pragma omp parallel num_threads(2) reduction(+ : total)
      {
        int me = omp_get_thread_num(), n = omp_get_num_threads();
        late(round);
        cell[team][me] = mark(round, me);
#pragma omp barrier
        for (int i = 0; i < n; ++i) expect(cell[team][i] == mark(round, i));
#pragma omp barrier
        total += 1;
      }
    }
    expect(total >= 1);
    long sum = 0;
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
    expect(sum == 4950);
    checksum += sum;
    // A plain region between two leagues.
#pragma omp parallel
    {
#pragma omp barrier
    }
  }
  return verdict("teams_host", checksum);
}
