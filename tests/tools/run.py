#!/usr/bin/env python3
"""Runs an OpenMP program with Muster under profilers, debuggers, allocators and others: run.py [--build FOLDER] [TOOL...]

The program's output and exit status must be those without Muster, and barriers must be replaced, except where a row
switches Muster off. A tool that is not installed, or that fails with the stock program as well (it may not read counters here), is left
out with a line. Status: 0 all that ran are as they should be, 1 not, 77 nothing ran.
"""

from __future__ import annotations

import argparse
import ctypes.util
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lab import compilers, reports, runs  # noqa: E402
from lab.environment import clean_environment  # noqa: E402

SECONDS = 60.0
SKIPPED = 77
EXPECTED = "sum 999000\n"
HERE = "{here}"  # a folder for what a tool writes
RUN = "{run}"  # `muster run --`, or nothing for the stock program

REPLACED, OFF = "replaced", "MUSTER=off"


@dataclass(frozen=True)
class Tool:
    """What stands before the program. Its first word must be a command, or `preload NAME` a library."""

    name: str
    command: str
    barriers: str = REPLACED
    variables: tuple[tuple[str, str], ...] = ()
    output: str | None = EXPECTED  # None: the tool prints on stdout as well


TOOLS = [
    Tool("perf stat", f"perf stat -e task-clock -o {HERE}/stat {RUN}"),
    Tool("perf record", f"perf record -q -e cpu-clock -g -o {HERE}/perf.data {RUN}", output=None),
    Tool("perf trace", f"perf trace -s -o {HERE}/trace {RUN}"),
    Tool("gdb", f"gdb -q -batch -ex run --args {RUN}", output=None),
    Tool("strace", f"strace -f -o {HERE}/strace {RUN}"),
    Tool("ltrace", f"ltrace -f -o {HERE}/ltrace {RUN}"),
    Tool("uftrace", f"uftrace record --force --no-pager -d {HERE}/uftrace {RUN}", output=None),
    Tool("rr", f"rr record -o {HERE}/rr {RUN}", output=None),
    Tool("gprofng", f"gprofng collect app -o {HERE}/test.1.er {RUN}", output=None),
    Tool("heaptrack", f"heaptrack -o {HERE}/heaptrack {RUN}", output=None),
    Tool("valgrind memcheck", f"valgrind -q --error-exitcode=3 --trace-children=yes {RUN}"),
    Tool("valgrind callgrind", f"valgrind -q --tool=callgrind --callgrind-out-file=/dev/null --trace-children=yes {RUN}"),
    Tool("valgrind massif", f"valgrind -q --tool=massif --massif-out-file=/dev/null --trace-children=yes {RUN}"),
    Tool("valgrind after muster run", f"{RUN} valgrind -q --error-exitcode=3"),
    Tool("valgrind drd", f"valgrind -q --tool=drd --trace-children=yes {RUN}", OFF, (("MUSTER", "off"),)),
    Tool("valgrind helgrind", f"valgrind -q --tool=helgrind --trace-children=yes {RUN}", OFF, (("MUSTER", "off"),)),
    Tool("likwid-pin", f"likwid-pin -q -c 0,1 {RUN}", output=None),
    Tool("likwid-perfctr", f"likwid-perfctr -C 0,1 -g CLOCK {RUN}", output=None),
    Tool("jemalloc", f"preload jemalloc {RUN}"),
    Tool("mimalloc", f"preload mimalloc {RUN}"),
    Tool("tcmalloc", f"preload tcmalloc_minimal {RUN}"),
    Tool("numactl", f"numactl --localalloc {RUN}"),
    Tool("taskset", f"taskset -c 0 {RUN}"),
    Tool("chrt", f"chrt -b 0 {RUN}"),
    Tool("stdbuf", f"stdbuf -oL {RUN}"),
    Tool("bubblewrap", f"bwrap --dev-bind / / --unshare-pid --proc /proc {RUN}"),
    Tool("setarch", f"setarch -R {RUN}"),
]


class LeftOutError(Exception):
    """One line: why a tool was not tried."""


def words_of(tool: Tool, program: Path, here: Path, run: list[str]) -> tuple[list[str], dict[str, str]]:
    """The command, and the environment."""
    variables = clean_environment() | dict(tool.variables) | {"OMP_NUM_THREADS": "2"}
    words = tool.command.split()
    if words[0] == "preload":
        library = ctypes.util.find_library(words[1])
        if library is None:
            raise LeftOutError(f"lib{words[1]} is not installed")
        variables["LD_PRELOAD"] = library
        words = words[2:]
    elif shutil.which(next(word for word in words if word != RUN)) is None:
        raise LeftOutError(f"{words[0]} is not installed")
    command: list[str] = []
    for word in [*words, str(program)]:
        command += run if word == RUN else [word.replace(HERE, str(here))]
    return command, variables


def problem_with(tool: Tool, program: Path, build: Path, here: Path) -> str | None:
    """None: as it should be. Raises LeftOutError."""
    stock_folder, our_folder = here / "stock", here / "ours"
    for folder in (stock_folder, our_folder):
        folder.mkdir(parents=True)
    stock = runs.run(*words_of(tool, program, stock_folder, []), SECONDS, here)
    if stock.status != 0 or (tool.output is not None and stock.stdout != tool.output):
        raise LeftOutError(f"fails with the stock program: {stock.describe()}")
    command, variables = words_of(tool, program, our_folder, [str(build / "bin" / "muster"), "run", "--"])
    report = our_folder / "report.json"
    ended = runs.run(command, variables | {"MUSTER_REPORT": str(report)}, SECONDS, here)
    if ended.status != 0 or EXPECTED not in ended.stdout:
        return ended.describe()
    if tool.output is not None and (ended.stdout != stock.stdout or ended.own_lines):
        return ended.describe()
    if tool.barriers == OFF:
        return None
    barriers = reports.load(report)["barriers"]
    return None if barriers["replaced"] >= 2000 else f"barriers: {barriers}"


def compiled(folder: Path) -> dict[str, Path]:
    """The program on each runtime whose compiler is there."""
    source = Path(__file__).with_name("barriers.c")
    programs = {}
    for runtime, names in (("libomp", compilers.CLANG[0]), ("libgomp", compilers.GCC[0])):
        try:
            compiler = compilers.installed(names)
            program = folder / f"on-{runtime}"
            compilers.build([compiler, "-O1", "-gdwarf-4", "-fopenmp", source, "-o", program])
            programs[runtime] = program
        except compilers.BuildError as missing:
            print(f"{runtime}: left out: {missing}")
    return programs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", metavar="TOOL", help="all by default")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    arguments = parser.parse_args()
    tried, problems = 0, 0
    with tempfile.TemporaryDirectory(prefix="muster-tools-") as made:
        programs = compiled(Path(made))
        for tool in TOOLS:
            if arguments.tools and tool.name not in arguments.tools:
                continue
            for runtime, program in programs.items():
                here = Path(made) / runtime / tool.name.replace(" ", "-")
                try:
                    problem = problem_with(tool, program, arguments.build.resolve(), here)
                except LeftOutError as reason:
                    print(f"{tool.name}, {runtime}: left out: {reason}")
                    continue
                except reports.ReportError as missing:
                    problem = str(missing)
                tried += 1
                problems += problem is not None
                print(f"{tool.name}, {runtime}: {problem or 'as without Muster, ' + tool.barriers}")
                sys.stdout.flush()
    if tried == 0:
        return SKIPPED
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
