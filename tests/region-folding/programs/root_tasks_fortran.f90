! As root_tasks.c: regions in tasks outside of any region, by Fortran's compiler.
! muster-test: folded >= 10
! muster-test: auto
! muster-test: case four
! muster-test: case two
! muster-test: env OMP_NUM_THREADS=2
program root_tasks_fortran
  use omp_lib
  implicit none
  integer :: i, total
  total = 0
  do i = 1, 5
    !$omp task shared(total)
    call inside(3)
    !$omp end task
    !$omp taskwait
    !$omp task shared(total) if (.false.)
    call inside(3)
    !$omp end task
    call inside(2)
  end do
  print '(a, i0, a, i0)', 'total ', total, ', level ', omp_get_level()
contains
  subroutine inside(count)
    integer, intent(in) :: count
    integer :: k, sum
    do k = 1, count
      sum = 0
      !$omp parallel reduction(+: sum)
      sum = sum + k
      !$omp end parallel
      total = total + sum
    end do
  end subroutine
end program
