#!/usr/bin/env python3
"""The traps of region folding, each stock against preloaded. See docs/understand/folding.md."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from checking import TIMEOUT, Checker, Row  # noqa: E402
from compiling import VARIANTS, Compiler, compiler_for  # noqa: E402
from traps import Case, read_all  # noqa: E402

from lab.compilers import BuildError, compile_old_runtime  # noqa: E402
from lab.runtimes import LIBGOMP, lacks_versions  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUNTIMES = ("libomp14", "libomp16", "libomp19", "libomp21", "libiomp5")
LIBGOMPS = ("libgomp12", "libgomp9", "libgomp14", "libgomp7")
# Fold and join go through the halves of every algorithm and policy. `spin` is left out: with more
# threads than CPUs each barrier would take slices of the scheduler.
BARRIERS = (
    "auto",
    "fetch-add",
    "dist-counter",
    "local-sensor",
    "dist-sensor",
    "dissemination-or-counter",
    "tree",
)
WAITS = ("auto", "block", "2cs+", "yield", "50us")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="each compiler on each runtime, not alternately"
    )
    parser.add_argument(
        "--library",
        default=str(ROOT / "build/release/lib/libmuster.so"),
        help="libmuster.so, or `none`: stock against stock",
    )
    parser.add_argument("--no-report", action="store_true", help="do not read the report")
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--build", type=Path, default=ROOT / "build/region-folding")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1, help="run each combination so often")
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help="a program that takes longer counts as hanging"
    )
    parser.add_argument(
        "--filter",
        default="",
        metavar="WORDS",
        help="only rows that contain each of these words, e.g. 'endings:abort libomp14'",
    )
    parser.add_argument("--list", action="store_true", help="print the rows, run nothing")
    return parser.parse_args()


def usable(cases: list[Case]) -> list[tuple[Case, str]]:
    """The pairs of case and variant that this machine can build and run."""
    pairs = []
    missing = set()
    for case in cases:
        if case.machine not in (None, platform.machine()):
            missing.add(f"{case.source.name}: only on {case.machine}")
            continue
        for variant in VARIANTS:
            if compiler_for(case.source, variant) is None:
                missing.add(f"{case.source.name}, {variant}: no compiler for it here")
            elif case.runs_on(variant, None):
                pairs.append((case, variant))
    for line in sorted(missing):
        print(f"skipped: {line}")
    return pairs


def make_plan(pairs: list[tuple[Case, str]], full: bool) -> list[Row]:
    """Each case on each libomp, compilers alternating, and on a libgomp, which alternates as barriers and policies do."""
    plan: list[Row] = []
    variants: dict[str, list[tuple[Case, str]]] = {}
    for case, variant in pairs:
        variants.setdefault(case.name, []).append((case, variant))
    for number, own in enumerate(variants.values()):
        gomps = LIBGOMPS if full else LIBGOMPS[number % len(LIBGOMPS) :][:1]
        for place, runtime in enumerate((*RUNTIMES, *gomps)):
            possible = [pair for pair in own if pair[0].runs_on(pair[1], runtime)]
            possible = [pair for pair in possible if (pair[1] == "libgomp") == (runtime in LIBGOMPS)]
            if not full and possible:
                possible = [possible[(number + place) % len(possible)]]
            for case, variant in possible:
                # Other modes than `on` differ by a decision only: on one runtime, unless `full`.
                turn = full or place == number % len(RUNTIMES)
                for mode in case.modes if turn else ["on"]:
                    barrier = BARRIERS[len(plan) % len(BARRIERS)]
                    wait = WAITS[(len(plan) // 3) % len(WAITS)]
                    plan.append(Row(case, variant, runtime, mode, barrier, wait))
    return plan


def is_older(row: Row, compiler: Compiler, runtimes: Path) -> bool:
    files = (compiler.binary(row.case, row.variant), compiler.module(row.case, row.variant))
    return any(lacks_versions(file, runtimes / row.runtime) for file in files if file is not None)


def run_plan(plan: list[Row], checker: Checker, jobs: int) -> int:
    failures = []
    begin = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(checker.check, row): row for row in plan}
        for future in as_completed(futures):
            if problem := future.result():
                failures.append(f"FAILED {futures[future]}: {problem}")
                print(failures[-1], flush=True)
    seconds = time.monotonic() - begin
    print(f"{len(plan) - len(failures)} passed, {len(failures)} failed in {seconds:.0f} s")
    for failure in sorted(failures):
        print(failure.splitlines()[0][:300])
    return len(failures)


def main() -> int:
    arguments = parse_arguments()
    pairs = usable(read_all(HERE / "programs"))
    words = set(arguments.filter.split())
    plan = [row for row in make_plan(pairs, arguments.full) if words <= row.words]
    if arguments.list:
        print("\n".join(map(str, plan)))
        return 0
    runtimes = arguments.runtimes.resolve()
    for name in (*RUNTIMES, *LIBGOMPS):
        if not any((runtimes / name / file).exists() for file in ("libomp.so.5", LIBGOMP)):
            print(f"run.py: no {name} in {runtimes}; run tests/runtimes/fetch.py on it")
            return 1
    library = None if arguments.library == "none" else Path(arguments.library).resolve()
    if library is not None and not library.is_file():
        print(f"run.py: no library {library}")
        return 1
    if not plan:
        print("run.py: no row matches; see --list")
        return 1
    build = arguments.build.resolve()
    compiler = Compiler(build / "programs", runtimes / "libomp19")
    try:
        compiler.compile_all(((row.case, row.variant) for row in plan), arguments.jobs)
        older = [row for row in plan if is_older(row, compiler, runtimes)]
        old_runtime = compile_old_runtime(build)
    except BuildError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    if older:
        names = sorted({f"{row.case.name} {row.runtime}" for row in older})
        print(f"left out, since the runtime is older than what gcc compiled them for: {', '.join(names)}")
    plan = [row for row in plan if row not in older]
    checker = Checker(
        compiler, runtimes, library, old_runtime, not arguments.no_report, arguments.timeout
    )
    return 1 if run_plan(plan * arguments.repeat, checker, arguments.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
