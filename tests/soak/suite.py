"""Whether a program that repeats the same thing grows under Muster. See README.md here.

    tests/run.py soak                       some ten thousand regions of each kind, hundreds of roots and of dlopen cycles
    tests/run.py soak --set scale=100       hundred times as many
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from driver.entries import Entry
from driver.places import Places
from lab import reports, runs
from lab.compilers import build_once
from lab.environment import clean_environment, preload

HERE = Path(__file__).resolve().parent
TIMEOUT = 3600.0  # seconds
KINDS = ("region", "loop", "dynamic", "sections", "sizes", "tasks", "nested", "serialized", "roots", "modules")
SMALL = {"roots": 400, "modules": 300, "nested": 2000, "sizes": 2000, "": 10_000}
COMPILERS = {"libomp": ("clang-19", "-fopenmp=libomp"), "libgomp": ("gcc", "-fopenmp")}
# From the middle of the run to its end. The allocator may take a few pages; nothing else may grow.
BOUNDS = {"rss_kb": 256, "size_kb": 1024, "descriptors": 0, "mappings": 2, "threads": 0}
LINE = re.compile(r"^(half|end) (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    growth: dict[str, int]
    replaced: int
    folded: int


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


def build(folder: Path, runtime: str) -> tuple[Path, Path]:
    compiler, flag = COMPILERS[runtime]
    common = [compiler, flag, "-O2", "-std=gnu17", "-Wall", "-Werror"]
    program, module = folder / runtime, folder / f"{runtime}.so"
    source = HERE / "programs/soak.c"
    build_once(program, [[*common, source, "-o", program, "-ldl", "-pthread"]], source)
    source = HERE / "programs/module.c"
    return program, build_once(module, [[*common, "-shared", "-fPIC", source, "-o", module]], source)


def execute(command: list[str | Path], variables: dict[str, str], report: Path) -> Run:
    done = runs.run(command, clean_environment() | variables | {"MUSTER_REPORT": str(report)}, TIMEOUT)
    if done.status != 0:
        raise Failed(done.describe())
    replaced = folded = 0
    if "LD_PRELOAD" in variables and report.exists():
        replaced, folded = reports.read(report, lambda content: (reports.replaced(content), reports.folded(content)))
    return Run(growth_of(done.stdout), replaced, folded)


def entries(places: Places) -> Iterator[Entry]:
    for runtime in COMPILERS:
        for kind in KINDS:
            yield Entry(f"soak.{kind}.{runtime}")


def run(places: Places, name: str) -> str:
    """Empty, or what grows. A small stock run shows how much the runtime itself grows."""
    _, kind, runtime = name.split(".")
    few = SMALL.get(kind, SMALL[""])
    count = max(20, int(few * float(places.settings.get("scale", 1))))
    binary, module = build(places.programs("soak"), runtime)
    # With stacks of this size the runtimes' threads use those that soak.c has left in the C library's cache.
    passive = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "OMP_STACKSIZE": "256K"}
    with tempfile.TemporaryDirectory(prefix="muster-soak-") as folder:
        report = Path(folder) / "report.json"
        try:
            stock = execute([binary, kind, str(min(count, few)), module], passive, report)
            ours = execute([binary, kind, str(count), module], passive | preload(places.library) | places.extra, report)
        except (Failed, reports.ReportError) as problem:
            return str(problem)
    growth = ", ".join(f"{name} {value:+}" for name, value in ours.growth.items())
    print(f"{growth}; {ours.replaced} arrivals replaced, {ours.folded} regions folded")
    return "; ".join(problems_of(kind, ours, stock))
