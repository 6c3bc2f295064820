// 4,000 barriers with nothing between them: episode numbers wrap around a byte many times.
// muster-test: replaced >= 8000
// muster-test: alone
#include "check.h"

enum { kEpisodes = 4000 };

// Two sets of cells in turn: one barrier an episode is enough.
static struct {
  long value;
  char padding[120];
} cell[2][kMaxThreads];

int main(void) {
  long long checksum = 0;
#pragma omp parallel reduction(+ : checksum)
  {
    int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int episode = 1; episode <= kEpisodes; ++episode) {
      cell[episode & 1][me].value = episode;
#pragma omp barrier
      for (int i = 0; i < n; ++i) expect(cell[episode & 1][i].value == episode);
      checksum += me == 0 ? cell[episode & 1][n - 1].value : 0;
    }
  }
  return verdict("barrier_tight", checksum);
}
