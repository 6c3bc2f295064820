! Fortran: getters and setters under their own names, an orphaned loop, a common block of each thread.
! muster-test: folded >= 40
! muster-test: closed "runtime call" >= 2
! muster-test: auto
module data
  integer :: counter, limit
  common /kept/ counter, limit
  !$omp threadprivate(/kept/)
end module data

program fortran
  use omp_lib
  use data
  implicit none
  integer :: i, round
  integer :: list(24)

  call settle(10)
  call ask('at first')
  do round = 1, 4
    call omp_set_num_threads(5 - round)
    call ask('another size')
    call settle(10)
    limit = 7 * round
    !$omp parallel copyin(limit)
    counter = counter + limit
    !$omp end parallel
    call ask('copied in')
    list = 0
    call orphaned(list)
    !$omp parallel
    call orphaned(list)
    !$omp end parallel
    print '(24i3)', list
    call settle(10)
    !$omp parallel workshare
    list = list * 2
    !$omp end parallel workshare
    print '(a,i6,a,i3)', 'workshare', sum(list), ' counter', counter
  end do
  call omp_set_num_threads(4)
  call omp_set_schedule(omp_sched_static, 2)
  !$omp parallel do schedule(runtime)
  do i = 1, 24
    list(i) = omp_get_thread_num()
  end do
  !$omp end parallel do
  print '(24i2)', list
  call settle(10)
  print '(a,l2)', 'at the end', omp_in_parallel()

contains

  subroutine settle(count)
    integer, intent(in) :: count
    integer :: k, total
    total = 0
    do k = 1, count
      !$omp parallel reduction(+:total)
      total = total + k
      !$omp end parallel
    end do
    print '(a,i6)', 'settled', total
  end subroutine settle

  subroutine orphaned(values)
    integer, intent(inout) :: values(:)
    integer :: k
    !$omp do schedule(dynamic)
    do k = 1, size(values)
      values(k) = values(k) + k
    end do
    !$omp end do
    !$omp single
    values(1) = values(1) + 1
    !$omp end single
  end subroutine orphaned

  subroutine ask(when)
    character(*), intent(in) :: when
    integer :: n, t, answers(6, 0:15)
    print '(a,6i3,2l2)', when, omp_get_num_threads(), omp_get_thread_num(), omp_get_level(), &
        omp_get_max_threads(), omp_get_ancestor_thread_num(0), omp_get_team_size(0), &
        omp_in_parallel(), omp_get_dynamic()
    answers = 0
    !$omp parallel private(t)
    t = omp_get_thread_num()
    answers(:, t) = [omp_get_num_threads(), omp_get_level(), omp_get_max_threads(), &
        omp_get_ancestor_thread_num(1), omp_get_team_size(1), counter]
    !$omp master
    n = omp_get_num_threads()
    !$omp end master
    !$omp end parallel
    do t = 0, n - 1
      print '(a,6i4)', 'region', answers(:, t)
    end do
  end subroutine ask
end program fortran
