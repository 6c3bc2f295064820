// A library's own software-defined event, which PAPI can count on a machine without a PMU, too.
#include <omp.h>
#include <sde_lib.h>
#include <stdio.h>

static long long work;

int main(void) {
  papi_handle_t handle = papi_sde_init("TEST");
  papi_sde_register_counter(handle, "WORK", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                            &work);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 100; ++i) {
    if (omp_get_thread_num() == 0) work += 10;
#pragma omp barrier
  }
  printf("%lld\n", work);
  return 0;
}
