#!/usr/bin/env python3
"""Conformance: OpenMP programs of ours, stock against preloaded. See docs/develop/testing.md."""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import astuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from building import VARIANTS, BuildError, compile_all  # noqa: E402
from metadata import Program, read_programs  # noqa: E402
from mutants import run_mutants  # noqa: E402
from planning import RUNTIMES, Combination, Planner  # noqa: E402
from running import Runner  # noqa: E402

from lab.compilers import compile_old_runtime  # noqa: E402
from lab.runtimes import LIBGOMP, lacks_versions  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRESS_EVERY = 50


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--subset", action="store_true", help="a pairwise covering subset (default)")
    what.add_argument("--full", action="store_true", help="the whole product")
    what.add_argument("--mutants", action="store_true", help="programs with a barrier taken out")
    parser.add_argument(
        "--library",
        default=str(ROOT / "build/release/lib/libmuster.so"),
        help="libmuster.so, or `none`: stock against stock",
    )
    parser.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    parser.add_argument("--build", type=Path, default=ROOT / "build/conformance")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--filter",
        default="",
        metavar="WORDS",
        help="only combinations that contain each of these words, e.g. 'single libomp14 tree'",
    )
    parser.add_argument("--list", action="store_true", help="print the combinations, run nothing")
    return parser.parse_args()


def matches(row: Combination, words: list[str]) -> bool:
    values = astuple(row)
    return all(word in values for word in words)


def describe(row: Combination) -> str:
    return f"{row.program} {row.variant} {row.runtime} {row.barrier} {row.wait} {row.forkjoin}"


def run_plan(plan: list[Combination], runner: Runner, jobs: int) -> list[str]:
    # Beside another job, a program that only spins, or has very many barriers, waits for whole time slices.
    alone = [r for r in plan if r.wait == "spin" or runner.programs[r.program].alone]
    together = [r for r in plan if r not in set(alone)]
    failures = []
    done = 0
    begin = time.monotonic()
    for rows, workers in ((together, jobs), (alone, 1)):
        with ThreadPoolExecutor(workers) as pool:
            futures = {pool.submit(runner.check, row): row for row in rows}
            for future in as_completed(futures):
                row = futures[future]
                done += 1
                if problem := future.result():
                    failures.append(f"{describe(row)}: {problem}")
                    print(f"FAILED {failures[-1]}", flush=True)
                if done % PROGRESS_EVERY == 0:
                    seconds = time.monotonic() - begin
                    print(f"{done}/{len(plan)} after {seconds:.0f} s", flush=True)
    print(f"{len(plan) - len(failures)} passed, {len(failures)} failed")
    return failures


def check_places(arguments: argparse.Namespace) -> str | None:
    for name in RUNTIMES:
        if not any((arguments.runtimes / name / file).exists() for file in ("libomp.so.5", LIBGOMP)):
            return f"no {name} in {arguments.runtimes}; run tests/runtimes/fetch.py on it"
    needed = arguments.library != "none" and not arguments.mutants
    if needed and not Path(arguments.library).is_file():
        return f"no library {arguments.library}"
    return None


def run_conformance(arguments: argparse.Namespace, programs: list[Program]) -> list[str]:
    cpus = len(os.sched_getaffinity(0))
    planner = Planner(programs, cpus)
    words = arguments.filter.split()
    plan = planner.full() if arguments.full else planner.subset()
    plan = [row for row in plan if matches(row, words)]
    if arguments.list:
        for row in plan:
            print(describe(row))
        return []
    if not plan:
        return ["no combination matches; see --list"]
    pairs = [
        (program, variant)
        for program in programs
        for variant in VARIANTS
        if any((row.program, row.variant) == (program.name, variant.name) for row in plan)
    ]
    runtimes = arguments.runtimes.resolve()
    libomp = runtimes / "libomp19"
    binaries = compile_all(pairs, arguments.build.resolve() / "programs", libomp, arguments.jobs)
    older = [row for row in plan if lacks_versions(binaries[row.program, row.variant], runtimes / row.runtime)]
    if older:
        programs_left_out = sorted({row.program for row in older})
        print(f"left out, since the runtime is older than what gcc compiled them for: {programs_left_out}")
    plan = [row for row in plan if row not in older]
    runner = Runner(
        programs={program.name: program for program in programs},
        binaries=binaries,
        runtimes=runtimes,
        library=None if arguments.library == "none" else Path(arguments.library).resolve(),
        old_runtime=compile_old_runtime(arguments.build.resolve()),
        cpus=cpus,
    )
    return run_plan(plan, runner, arguments.jobs)


def main() -> int:
    arguments = parse_arguments()
    if not arguments.list and (problem := check_places(arguments)):
        print(f"run.py: {problem}", file=sys.stderr)
        return 1
    programs = read_programs(HERE / "programs")
    try:
        if arguments.mutants:
            folder = arguments.build.resolve() / "mutants"
            libomp = arguments.runtimes.resolve() / "libomp19"
            failures = run_mutants(programs, folder, libomp, arguments.jobs)
        else:
            failures = run_conformance(arguments, programs)
    except BuildError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
