#!/bin/sh
# use.sh MUSTER [CC...]: uses an installed `muster` as a newcomer does, with a program of each compiler. It needs a C
# compiler with OpenMP, /proc, and nothing else. Also debian/tests/smoke.
set -eu
muster=${1:-muster}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- gcc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "use.sh: $*" >&2
  exit 1
}

cat > team.c <<'END'
#include <stdio.h>
int main(void) {
  int arrived = 0;
#pragma omp parallel num_threads(2) reduction(+ : arrived)
  {
    arrived += 1;
    for (int i = 0; i < 100; ++i) {
#pragma omp barrier
    }
  }
  printf("%d\n", arrived);
  return 3;
}
END

"$muster" --version
for compiler in "$@"; do
  "$compiler" -O2 -fopenmp team.c -o team
  "$muster" doctor ./team > doctor.txt || fail "muster doctor: $(cat doctor.txt)"
  grep -q '^verdict *works' doctor.txt || fail "muster doctor: $(tail -n 1 doctor.txt)"
  status=0
  shown=$("$muster" run --report report.json -- ./team) || status=$?
  [ "$shown $status" = "2 3" ] || fail "the program printed '$shown' with status $status"
  "$muster" report report.json > report.txt
  # 100 barriers of two threads; a runtime may have some of its own.
  arrivals=$(sed -n 's/^ *barriers  *\([0-9]*\) arrivals replaced.*/\1/p' report.txt)
  [ "${arrivals:-0}" -ge 200 ] || fail "$compiler: ${arrivals:-no} arrivals replaced: $(cat report.txt)"
  echo "$compiler: $arrivals arrivals replaced"
done
library=$("$muster" run --dry-run -- true | sed -n 's/^LD_PRELOAD=\([^ ]*\) .*/\1/p')
status=0
shown=$(LD_PRELOAD=$library ./team) || status=$?
[ "$shown $status" = "2 3" ] || fail "LD_PRELOAD=$library: '$shown' with status $status"

# What can go wrong is said in one line, and the program's own result stays.
status=0
"$muster" run -- ./no-such-program 2> error.txt || status=$?
[ "$status $(wc -l < error.txt)" = "127 1" ] || fail "a missing program: status $status, $(cat error.txt)"
mkdir empty
status=0
shown=$("$muster" run --report empty/none/report.json -- ./team 2> error.txt) || status=$?
[ "$shown $status" = "2 3" ] || fail "a report that cannot be written: '$shown' with status $status"
[ "$(wc -l < error.txt)" = 1 ] || fail "a report that cannot be written: $(cat error.txt)"
echo "use.sh: passed"
