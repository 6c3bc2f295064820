! Fortran: regions in regions, serialized ones, tasks and criticals, by subroutines of their own.
! muster-test: env OMP_MAX_ACTIVE_LEVELS=2
! muster-test: folded >= 10
! muster-test: skip clang: code of flang 19 runs a `single` after a nested region more than once
program fortran_nested
  use omp_lib
  implicit none
  integer :: round, total, inner, level

  do round = 1, 12
    total = 0
    inner = 0
    !$omp parallel reduction(+:inner)
    !$omp critical
    total = total + omp_get_thread_num()
    !$omp end critical
    !$omp parallel num_threads(2) reduction(+:inner)
    inner = inner + omp_get_level()
    !$omp end parallel
    !$omp barrier
    !$omp single
    call spawn(total)
    !$omp end single
    !$omp end parallel
    print '(a,3i6)', 'round', total, inner, omp_get_level()
    !$omp parallel if(.false.)
    level = omp_get_level()
    !$omp end parallel
    call spawn(total)
    print '(a,3i6)', 'serial', total, level, omp_get_num_threads()
  end do

contains

  subroutine spawn(sum)
    integer, intent(inout) :: sum
    integer :: k
    do k = 1, 5
      !$omp task firstprivate(k) shared(sum)
      !$omp atomic
      sum = sum + k
      !$omp end task
    end do
    !$omp taskwait
  end subroutine spawn
end program fortran_nested
