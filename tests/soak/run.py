#!/usr/bin/env python3
"""Whether a program that repeats the same thing grows under Muster. See README.md here.

    run.py                 some ten thousand regions of each kind, hundreds of roots and of dlopen cycles
    run.py --full          10^6, 10^5, 10^4
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from lab import reports, runs  # noqa: E402
from lab.environment import clean_environment, preload  # noqa: E402

KINDS = ("region", "loop", "dynamic", "sections", "sizes", "tasks", "nested", "serialized", "roots", "modules")
SMALL = {"roots": 400, "modules": 300, "nested": 2000, "sizes": 2000, "": 10_000}
FULL = {"roots": 100_000, "modules": 10_000, "": 1_000_000}
COMPILERS = {"libomp": ("clang-19", "-fopenmp=libomp"), "libgomp": ("gcc", "-fopenmp")}
# From the middle of the run to its end. The allocator may take a few pages; nothing else may grow.
BOUNDS = {"rss_kb": 256, "size_kb": 1024, "descriptors": 0, "mappings": 2, "threads": 0}
LINE = re.compile(r"^(half|end) (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    growth: dict[str, int]
    replaced: int
    folded: int
    seconds: float


class Failed(Exception):
    pass


def growth_of(output: str) -> dict[str, int]:
    found = {
        when: {name: int(value) for name, value in (pair.split("=") for pair in rest.split())}
        for when, rest in LINE.findall(output)
    }
    return {name: found["end"][name] - found["half"][name] for name in BOUNDS}


def problems_of(kind: str, ours: Run, stock: Run) -> list[str]:
    """Preloaded may grow as much as stock itself does."""
    grown = [
        f"{name} grows by {ours.growth[name]}, stock's by {stock.growth[name]}, {bound} allowed"
        for name, bound in BOUNDS.items()
        if ours.growth[name] > max(bound, 2 * stock.growth[name])
    ]
    # A region of one thread has nothing to replace.
    took_part = ours.replaced + ours.folded > 0 or kind == "serialized"
    return grown if took_part else [*grown, "no barrier was replaced, no region folded"]


def build(folder: Path) -> None:
    for runtime, (compiler, flag) in COMPILERS.items():
        common = [compiler, flag, "-O2", "-std=gnu17", "-Wall", "-Werror"]
        for command in (
            [*common, HERE / "programs/soak.c", "-o", folder / runtime, "-ldl", "-pthread"],
            [*common, "-shared", "-fPIC", HERE / "programs/module.c", "-o", folder / f"{runtime}.so"],
        ):
            subprocess.run(command, check=True)


def execute(folder: Path, runtime: str, kind: str, count: int, variables: dict[str, str], timeout: float) -> Run:
    report = folder / f"{runtime}-{kind}.json"
    report.unlink(missing_ok=True)
    command = [folder / runtime, kind, str(count), folder / f"{runtime}.so"]
    begin = time.monotonic()
    done = runs.run(command, clean_environment() | variables | {"MUSTER_REPORT": str(report)}, timeout)
    seconds = time.monotonic() - begin
    if done.status != 0:
        raise Failed(done.describe())
    replaced = folded = 0
    if "LD_PRELOAD" in variables and report.exists():
        replaced, folded = reports.read(report, lambda content: (reports.replaced(content), reports.folded(content)))
    return Run(growth_of(done.stdout), replaced, folded, seconds)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/lib/libmuster.so")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--scale", type=float, default=1, help="of the counts")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--runtime", nargs="+", choices=COMPILERS, default=list(COMPILERS))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="such as MUSTER_FORKJOIN=on")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=3600)
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    library = arguments.library.resolve()
    if not library.is_file():
        print(f"run.py: no library {library}", file=sys.stderr)
        return 2
    counts = FULL if arguments.full else SMALL
    # With stacks of this size the runtimes' threads use those that soak.c has left in the C library's cache.
    passive = {"OMP_NUM_THREADS": str(arguments.threads), "OMP_WAIT_POLICY": "passive", "OMP_STACKSIZE": "256K"}
    preloaded = passive | preload(library) | dict(pair.split("=", 1) for pair in arguments.set)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="muster-soak-") as name, ThreadPoolExecutor(arguments.jobs) as pool:
        folder = Path(name)
        build(folder)

        def check(runtime: str, kind: str) -> bool:
            count = max(20, int(counts.get(kind, counts[""]) * arguments.scale))
            # A small stock run shows how much the runtime itself grows.
            few = min(count, SMALL.get(kind, SMALL[""]))
            try:
                stock = execute(folder, runtime, kind, few, passive, arguments.timeout)
                ours = execute(folder, runtime, kind, count, preloaded, arguments.timeout)
                problems = problems_of(kind, ours, stock)
            except (Failed, reports.ReportError) as problem:
                print(f"{runtime} {kind} {count}: FAILED: {problem}", flush=True)
                return False
            growth = ", ".join(f"{name} {value:+}" for name, value in ours.growth.items())
            work = f"{ours.replaced} arrivals replaced, {ours.folded} regions folded"
            print(f"{runtime} {kind} {count}: {growth}; {work}, {ours.seconds:.0f} s", flush=True)
            for problem in problems:
                print(f"  FAILED: {problem}", flush=True)
            return not problems

        pairs = [(runtime, kind) for runtime in arguments.runtime for kind in arguments.kind]
        failed = sum(not passed for passed in pool.map(lambda pair: check(*pair), pairs))
    print(f"{len(pairs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
