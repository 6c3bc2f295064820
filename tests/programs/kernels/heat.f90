! Heat that flows out of a square plate, in explicit steps: a region a step, and every fourth step two
! with reductions: what heat is left, and the largest change.
!
! The plate starts as sin(pi x) sin(pi y), of which each step leaves a known share.
!
!     heat [SIZE [REPETITIONS]]
program heat
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  integer, parameter :: steps = 100
  real(real64), parameter :: pi = 3.141592653589793_real64, flow = 0.2_real64
  real(real64), allocatable :: first(:, :), old(:, :), new(:, :)
  real(real64) :: share, left, at_first, change, seconds
  integer(int64) :: begin, finish, ticks
  integer :: n, repetitions, repetition, step, i, j
  logical :: good

  n = argument(1, 64)
  repetitions = argument(2, 3)
  allocate (first(0:n + 1, 0:n + 1), old(0:n + 1, 0:n + 1), new(0:n + 1, 0:n + 1))
  first = 0
  do j = 1, n
    do i = 1, n
      first(i, j) = sin(pi*i/(n + 1))*sin(pi*j/(n + 1))
    end do
  end do
  at_first = sum(first)
  new = 0
  share = 1 - 8*flow*sin(pi/(2*(n + 1)))**2

  good = .true.
  left = at_first
  call system_clock(begin, ticks)
  do repetition = 1, repetitions
    call copy(first, old)
    do step = 1, steps
      call flow_once(old, new)
      if (mod(step, 4) == 0) then
        left = total(new)
        change = largest_change(old, new)
        good = good .and. abs(left/at_first - share**step) < 1e-10_real64
        ! In the middle, where the plate is as hot as it gets; with an even size a bit less.
        good = good .and. abs(change/(maxval(first)*share**(step - 1)*(1 - share)) - 1) < 1e-6_real64
      end if
      call copy(new, old)
    end do
    good = good .and. maxval(abs(old - first*share**steps)) < 1e-10_real64
  end do
  call system_clock(finish)
  seconds = real(finish - begin, real64)/real(ticks, real64)

  print '(a, i0, a, a)', 'heat: left of a million ', nint(1e6_real64*left/at_first), ', ', &
    merge('verified', 'WRONG   ', good)
  write (error_unit, '(a, f0.6, a)') 'heat: ', seconds, ' s'
  if (.not. good) stop 1

contains

  integer function argument(place, otherwise)
    integer, intent(in) :: place, otherwise
    character(len=16) :: word
    integer :: status
    argument = otherwise
    if (command_argument_count() < place) return
    call get_command_argument(place, word)
    read (word, *, iostat=status) argument
    if (status == 0 .and. argument > 0 .and. argument <= 16384) return
    write (error_unit, '(2a)') 'heat: no number from 1 to 16384: ', trim(word)
    stop 2
  end function

  subroutine flow_once(from, to)
    real(real64), intent(in) :: from(0:, 0:)
    real(real64), intent(inout) :: to(0:, 0:)
    integer :: row, column
    !$omp parallel do private(row)
    do column = 1, n
      do row = 1, n
        to(row, column) = from(row, column) + flow*(from(row - 1, column) + from(row + 1, column) &
          + from(row, column - 1) + from(row, column + 1) - 4*from(row, column))
      end do
    end do
    !$omp end parallel do
  end subroutine

  subroutine copy(from, to)
    real(real64), intent(in) :: from(0:, 0:)
    real(real64), intent(inout) :: to(0:, 0:)
    !$omp parallel workshare
    to = from
    !$omp end parallel workshare
  end subroutine

  real(real64) function total(plate)
    real(real64), intent(in) :: plate(0:, 0:)
    integer :: column
    total = 0
    !$omp parallel do reduction(+:total)
    do column = 1, n
      total = total + sum(plate(1:n, column))
    end do
    !$omp end parallel do
  end function

  real(real64) function largest_change(from, to)
    real(real64), intent(in) :: from(0:, 0:), to(0:, 0:)
    integer :: column
    largest_change = 0
    !$omp parallel do reduction(max:largest_change)
    do column = 1, n
      largest_change = max(largest_change, maxval(abs(to(1:n, column) - from(1:n, column))))
    end do
    !$omp end parallel do
  end function
end program
