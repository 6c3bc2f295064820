// A ring of ranks that relax a line of cells: each rank's part by a team of threads, the ends handed to
// the neighbours by MPI. All in integers, so that the output does not depend on which thread does what.
//   hybrid STEPS [FAILING_RANK]
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 4096 };

static long g_cells[2][kCells + 2];

static void exchange(long* cells, int rank, int ranks) {
  const int left = (rank + ranks - 1) % ranks;
  const int right = (rank + 1) % ranks;
  MPI_Sendrecv(&cells[1], 1, MPI_LONG, left, 0, &cells[kCells + 1], 1, MPI_LONG, right, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&cells[kCells], 1, MPI_LONG, right, 1, &cells[0], 1, MPI_LONG, left, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The steps in one region: the primary thread exchanges, between barriers.
static void relax_together(int steps, int rank, int ranks) {
#pragma omp parallel
  for (int step = 0; step < steps; ++step) {
    long* from = g_cells[step % 2];
    long* to = g_cells[(step + 1) % 2];
#pragma omp master
    exchange(from, rank, ranks);
#pragma omp barrier
#pragma omp for
    for (int i = 1; i <= kCells; ++i) to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) / 4;
  }
}

// A region for each step, with a reduction.
static long relax_apart(int steps, int rank, int ranks) {
  long sum = 0;
  for (int step = 0; step < steps; ++step) {
    long* cells = g_cells[steps % 2];
    exchange(cells, rank, ranks);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= kCells; ++i) sum += cells[i] % (step + 2);
    long all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    sum = all % 1000003;
  }
  return sum;
}

int main(int count, char** arguments) {
  const int steps = count > 1 ? atoi(arguments[1]) : 10;
  const int failing = count > 2 ? atoi(arguments[2]) : -1;
  int provided = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < kCells + 2; ++i) g_cells[0][i] = (long)(rank + 1) * 1000003 % (i + 7);
  relax_together(steps, rank, ranks);
  const long sum = relax_apart(steps, rank, ranks);
  long cells = 0;
  for (int i = 1; i <= kCells; ++i) cells = (cells * 31 + g_cells[steps % 2][i]) % 1000000007;
  printf("rank %d of %d: %ld %ld\n", rank, ranks, sum, cells);
  fflush(stdout);
  MPI_Finalize();
  return rank == failing ? 3 : 0;
}
