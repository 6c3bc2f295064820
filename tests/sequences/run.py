#!/usr/bin/env python3
"""All short sequences of OpenMP constructs, in all contexts, stock against preloaded. See docs/develop/reliability.md."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from checking import Stock, Suite  # noqa: E402
from choosing import enumeration, sample  # noqa: E402
from plan import CONTEXTS, LIBGOMPS, LIBOMPS, MODES, VARIANTS, Case, parse  # noqa: E402
from sequence_runs import Compiler, Runner  # noqa: E402
from slow import slow_ones  # noqa: E402

from lab.compilers import BuildError, compile_old_runtime  # noqa: E402
from lab.runtimes import LIBGOMP  # noqa: E402

CASES_A_UNIT = 20
FOLDED_SHARE = 0.5  # of the reports under MUSTER_FORKJOIN=on: below, the suite shows nothing
FEW_REPORTS = 20


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_argument_group("what to run")
    what.add_argument("--cases", type=int, default=500, help="a sample of that many, drawn by the seed")
    what.add_argument("--inlined", type=int, default=20, help="of these, so many for each compiler as code of their own")
    what.add_argument("--full", action="store_true", help="the enumeration instead; hours")
    what.add_argument("--lengths", type=int, nargs="+", default=[1, 2, 3, 4], help="of the sequences, with --full")
    what.add_argument("--share", default="1/1", metavar="K/N", help="the K-th of N parts of the enumeration")
    what.add_argument("--every-runtime", action="store_true", help="not one for each case, drawn by the seed")
    what.add_argument("--case", action="append", default=[], metavar="LINE", help="this one, as a failure prints it")
    what.add_argument("--seed", type=int, default=1)
    what.add_argument("--runtime", nargs="+", choices=(*LIBOMPS, *LIBGOMPS), default=[])
    what.add_argument("--variant", nargs="+", choices=VARIANTS, default=[])
    what.add_argument("--context", nargs="+", choices=CONTEXTS, default=[])
    what.add_argument("--mode", nargs="+", choices=MODES, default=[])
    what.add_argument("--without", nargs="+", default=[], metavar="STEP", help="with --full: sequences without these")
    what.add_argument("--no-prune", action="store_true", help="also what contains a failing sequence")
    what.add_argument("--slow", type=int, metavar="N", help="N sequences and N random programs: is one too slow?")
    how = parser.add_argument_group("how")
    how.add_argument("--library", default=str(ROOT / "build/release/lib/libmuster.so"), help="or `none`: stock only")
    how.add_argument("--runtimes", type=Path, default=ROOT / "build/runtimes")
    how.add_argument("--build", type=Path, default=ROOT / "build/sequences")
    how.add_argument("--jobs", type=int, default=2)
    how.add_argument("--timeout", type=float, default=60, metavar="SECONDS")
    how.add_argument("--repeat", type=int, default=1, help="with --case")
    how.add_argument("--stock-cache", type=Path, metavar="FILE", help="stock results, kept from run to run")
    how.add_argument("--failures", type=Path, metavar="FILE", help="failing cases are appended to it")
    how.add_argument("--tell-left-out", action="store_true", help="print the cases that stock itself cannot run")
    return parser.parse_args()


def former_failures(arguments: argparse.Namespace) -> list[Case]:
    """Those in the contexts and on the runtimes that are asked for."""
    lines = (line.partition("#")[0].strip() for line in (HERE / "seeds.txt").read_text().splitlines())
    found = [parse(line) for line in lines if line]
    contexts, runtimes = arguments.context or CONTEXTS, arguments.runtime or (*LIBOMPS, *LIBGOMPS)
    return [case for case in found if case.context in contexts and case.runtime in runtimes]


def units_of(cases: list[Case], compiler: Compiler, jobs: int) -> dict[Case, tuple[Path, int]]:
    """Compiles the sequences that are to be code of their own."""
    parts = []
    for variant in VARIANTS:
        own = [case for case in dict.fromkeys(cases) if case.variant == variant and case.shape == "inlined"]
        parts += [(variant, own[first : first + CASES_A_UNIT]) for first in range(0, len(own), CASES_A_UNIT)]
    with ThreadPoolExecutor(jobs) as pool:
        binaries = pool.map(lambda part: compiler.compile_unit(*part), parts)
        return {
            case: (binary, place)
            for (_, part), binary in zip(parts, binaries, strict=True)
            for place, case in enumerate(part)
        }


def chosen(arguments: argparse.Namespace) -> list[Case]:
    if arguments.case:
        return [parse(line) for line in arguments.case] * arguments.repeat
    inlined = [
        case
        for variant in arguments.variant or VARIANTS
        for case in sample(argparse.Namespace(**vars(arguments) | {"variant": [variant]}), "inlined", arguments.inlined)
    ]
    return former_failures(arguments) + inlined + list(sample(arguments, "table", max(arguments.cases - len(inlined), 0)))


def run(arguments: argparse.Namespace, suite: Suite) -> None:
    compiler = suite.runner.compiler
    if arguments.full:
        suite.run_all(enumeration(arguments), arguments.jobs)
        return
    cases = chosen(arguments)
    suite.run_all(iter(cases), arguments.jobs, units_of(cases, compiler, arguments.jobs))


def verdict(suite: Suite) -> int:
    seconds = time.monotonic() - suite.begin
    counts = suite.counts
    print(f"{counts['passed']} passed, {counts['failed']} failed, {seconds:.0f} s; {dict(counts)}")
    reports = counts["reports, on"]
    if reports >= FEW_REPORTS and counts["reports with folds, on"] < FOLDED_SHARE * reports:
        print("FAILED: folds were opened in too few sequences")
        return 1
    for case, problem in suite.minimal():
        print(f"FAILED '{case}': {problem}")
    return 1 if suite.failures else 0


def main() -> int:
    arguments = parse_arguments()
    for name in arguments.runtime or (*LIBOMPS, *LIBGOMPS):
        if not any((arguments.runtimes / name / file).exists() for file in ("libomp.so.5", LIBGOMP)):
            print(f"run.py: no {name} in {arguments.runtimes}; run tests/runtimes/fetch.py on it", file=sys.stderr)
            return 1
    library = None if arguments.library == "none" else Path(arguments.library).resolve()
    if library is not None and not library.is_file():
        print(f"run.py: no library {library}", file=sys.stderr)
        return 1
    runtimes, build = arguments.runtimes.resolve(), arguments.build.resolve()
    compiler = Compiler(build, runtimes / "libomp19")
    scratch = Path(tempfile.mkdtemp(prefix="muster-sequences-"))
    try:
        compiler.compile_steps(arguments.jobs, arguments.variant or VARIANTS)
        runner = Runner(compiler, runtimes, library, compile_old_runtime(build), arguments.timeout)
        if arguments.slow is not None:
            return slow_ones(runner, arguments, scratch)
        suite = Suite(runner, Stock(arguments.stock_cache), scratch, not arguments.no_prune, arguments.failures)
        suite.tells_left_out = arguments.tell_left_out
        suite.prunes = suite.prunes and not arguments.case
        run(arguments, suite)
        return verdict(suite)
    except BuildError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
