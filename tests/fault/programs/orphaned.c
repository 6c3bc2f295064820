// A library with a barrier, for regions of others.
void orphaned_barrier(void);
void orphaned_barrier(void) {
#pragma omp barrier
}
