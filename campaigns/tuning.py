#!/usr/bin/env python3
"""What halving and doubling each threshold of `auto` does to the load grid.

    campaigns/tuning.py [--build build/release] [--only kName,...] [--cells '--threads 4 --hogs 0,4'] [--json FILE]

Builds libmuster.so as it is, and once for each threshold halved and doubled, in a copy of this tree (--output); then
`loadgrid` measures all of them interleaved. A ratio is that of the medians to the library as it is, which is measured a
second time, for comparison. Noise is estimated for each cell from how much runs of the same library differ. Started
again with the same --output, it continues.

A threshold is a line `inline constexpr TYPE kName = VALUE;` of the header, where VALUE may use the
constants above it. Units (kUs, kMs) are none.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns"), str(ROOT / "campaigns" / "loadgrid")]

from cells import Cell  # noqa: E402
from record import RecordError, Run, read  # noqa: E402
from settings import AUTO  # noqa: E402
from summary import Summary  # noqa: E402
from tuning_thresholds import CHANGES, Threshold, TuningError, thresholds_of  # noqa: E402

from lab import bench, results, tables  # noqa: E402
from lab.runs import exit_by_exception  # noqa: E402
from lab.statistics import geometric_mean  # noqa: E402

# Idle and crowded, fine and coarse: what thresholds decide about.
CELLS = "--programs barrier,parallel_for --threads 2,4,8 --hogs 0,4 --work 0,100"
SECONDS, REPETITIONS = 0.3, 3
AS_IS = "as-is"
NO_CHANGE = 0.03
ERRORS = 3.5  # standard errors that are no noise: by chance one of two thousand ratios
MEDIAN_ERROR = math.sqrt(math.pi / 2)  # of a median, relative to that of a mean
ORDER = ("yes", "noise", "nothing", "not measured")
# What of the tree does not get into the library.
BESIDE = ("docs", "tests", "campaigns", "lab", "papi-scripts", "python", "epcc", "sim", "gang", "benchmarks")


class Workshop:
    """A copy of the tree, in which the library is built with one header after the other."""

    def __init__(self, folder: Path, header: Path, jobs: int) -> None:
        self.folder = folder
        self.tree, self.libraries = folder / "tree", folder / "libraries"
        self.build = self.tree / "build" / "release"  # where it is of any tree, for ccache
        self.header = self.tree / header.relative_to(ROOT)
        self.jobs = jobs

    def prepare(self) -> None:
        names = command("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        files = [name for name in names if name and (ROOT / name).is_file()]
        files = [name for name in files if self.folder not in (ROOT / name).parents]
        digest = hashlib.sha256()
        for name in files:
            if name.split("/")[0] not in BESIDE and not name.endswith(".md"):
                digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
        of_sources = self.libraries / "sources"
        if of_sources.exists() and of_sources.read_text() != digest.hexdigest():
            raise TuningError(f"{self.libraries} is of other sources; choose another --output")
        for name in files:
            target = self.tree / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        self.libraries.mkdir(parents=True, exist_ok=True)
        of_sources.write_text(digest.hexdigest())

    def configure(self) -> None:
        words = [f"-DMUSTER_BUILD_{part}=OFF" for part in ("TESTS", "SIMULATORS", "BENCHMARKS")]
        if shutil.which("ccache"):
            words += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
        command("cmake", "--preset", "release", *words, folder=self.tree)

    def library(self, name: str, header: str) -> Path:
        """Built unless it is there."""
        kept = self.libraries / f"{name}.so"
        if kept.exists():
            return kept
        if not (self.build / "CMakeCache.txt").exists():
            self.configure()
        bench.say("tuning", f"building {name}")
        self.header.write_text(header)
        command("cmake", "--build", self.build, "--target", "muster", "-j", str(self.jobs))
        unfinished = kept.with_suffix(".part")
        shutil.copy2(self.build / "lib" / "libmuster.so", unfinished)
        unfinished.replace(kept)
        return kept


def command(*words: str | Path, folder: Path | None = None) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line.lower()] or [done.stderr]
        raise TuningError(f"{shlex.join(map(str, words))}: status {done.returncode}: {said[0].strip()[:300]}")
    return done.stdout


def libraries(workshop: Workshop, header: str, thresholds: Sequence[Threshold]) -> dict[str, Path]:
    """By name. A value with which the library does not compile is left out."""
    found = {AS_IS: workshop.library(AS_IS, header)}
    for threshold in thresholds:
        for change in CHANGES:
            value = threshold.changed(change)
            if value is None:
                continue
            name = f"{threshold.name}-{change}"
            try:
                found[name] = workshop.library(name, threshold.put(header, value))
            except TuningError as error:
                bench.say("tuning", f"{name} is left out: {error}")
    return found


def measure(options: argparse.Namespace, found: dict[str, Path]) -> None:
    settings = [AUTO, *(f"{AUTO}-{name}" for name in found)]
    words = [sys.executable, options.build / "bin" / "loadgrid", *shlex.split(options.cells)]
    words += ["--library", found[AS_IS], "--settings", ",".join(settings), "--output", options.output / "grid"]
    words += ["--seconds", f"{options.seconds:g}", "--repetitions", str(options.repetitions), *options.libgomp]
    for name, library in found.items():
        words += ["--variant", f"{name}={library}"]
    if subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise TuningError("loadgrid failed")


HEAD = (
    "threshold", "value", "unit, source", "half: mean", "least", "most", "double: mean", "least", "most", "changes",
    "where most",
)  # fmt: skip
TEXTS = {"threshold", "value", "unit, source", "changes", "where most"}


def ratios(summary: Summary, name: str) -> dict[Cell, float]:
    """To the library as it is. A cell in which either got nothing done has none."""
    found = {cell: summary.ratio(cell, f"{AUTO}-{name}", AUTO) for cell in summary.cells()}
    return {cell: value for cell, value in found.items() if value and not math.isinf(value)}


def three(found: dict[Cell, float]) -> tuple[str, str, str]:
    mean = geometric_mean(found.values())
    least, most = min(found.values(), default=None), max(found.values(), default=None)
    mean_text, least_text, most_text = ("-" if value is None else f"{value:.2f}" for value in (mean, least, most))
    return mean_text, least_text, most_text


def noise_of(runs: Sequence[Run]) -> dict[Cell, float]:
    """The standard error of the logarithm of a ratio, in each cell: pooled over all libraries."""
    groups: dict[Cell, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if run.rate > 0:
            groups[run.cell][run.setting].append(math.log(run.rate))
    found = {}
    for cell, by_setting in groups.items():
        squares = sum((value - fmean(group)) ** 2 for group in by_setting.values() for value in group)
        freedom = sum(len(group) - 1 for group in by_setting.values())
        size = fmean(map(len, by_setting.values()))
        found[cell] = MEDIAN_ERROR * math.sqrt(2 * squares / freedom / size) if freedom else math.inf
    return found


def changes(found: Sequence[tuple[Cell, float]], noise: dict[Cell, float]) -> str:
    """Whether ratios are more than noise: one of them, or all of them together."""
    if not found:
        return "not measured"
    if all(abs(value - 1) < NO_CHANGE for _, value in found):
        return "nothing"
    together = sum(math.log(value) for _, value in found), math.hypot(*(noise[cell] for cell, _ in found))
    each = [(math.log(value), noise[cell]) for cell, value in found]
    return "yes" if any(abs(effect) > ERRORS * error for effect, error in [together, *each]) else "noise"


def row_of(name: str, half: dict[Cell, float], double: dict[Cell, float], noise: dict[Cell, float]) -> tuple[str, ...]:
    """Of ratios; without value and unit."""
    both = [*half.items(), *double.items()]
    where = max(both, key=lambda item: abs(math.log(item[1])), default=("", 1.0))[0]
    verdicts = {changes(list(found.items()), noise) for found in (half, double)}
    verdict = next(word for word in ORDER if word in verdicts)
    return (name, *three(half), *three(double), verdict, str(where))


def rows_of(runs: Sequence[Run], thresholds: Sequence[Threshold]) -> list[tuple[str, ...]]:
    """First the library as it is, compared with itself; what changes least comes last."""
    summary, noise = Summary(list(runs)), noise_of(runs)
    first = row_of("(as it is)", ratios(summary, AS_IS), {}, noise)
    rows = []
    for threshold in thresholds:
        half, double = (ratios(summary, f"{threshold.name}-{change}") for change in CHANGES)
        name, *rest = row_of(threshold.name, half, double, noise)
        rows.append((name, threshold.shown, threshold.comment, *rest))
    changed = HEAD.index("changes")
    return [(first[0], "", "", *first[1:]), *sorted(rows, key=lambda row: ORDER.index(row[changed]))]


def show(options: argparse.Namespace, thresholds: Sequence[Threshold]) -> None:
    shared, runs = read(options.output / "grid" / "runs.csv")
    summary = Summary(runs)
    rows = rows_of(runs, thresholds)
    error = median(noise_of(runs).values())
    notes = [
        f"Ratios to the library as it is, over {len(summary.cells())} cells: mean, least and most. The standard error"
        f" of one is {error:.0%} (median over the cells). `nothing`: less than {NO_CHANGE:.0%} in every cell; `noise`:"
        f" less than {ERRORS:g} standard errors in every cell and in the mean.",
        ", ".join(f"{name} {shared[name]}" for name in ("libomp", "seed", "seconds", "library")),
    ]
    print("\n".join([tables.table(HEAD, rows, TEXTS), "", *notes]))
    if options.json is not None:
        names = [AS_IS, *(f"{threshold.name}-{change}" for threshold in thresholds for change in CHANGES)]
        raw = {name: {str(cell): round(r, 4) for cell, r in ratios(summary, name).items()} for name in names}
        found = results.table_of_words(HEAD, rows, "Thresholds halved and doubled", notes)
        results.leave(options.json, "What the thresholds of `auto` do", [found], raw=raw)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tuning", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    build, header = ROOT / "build" / "release", ROOT / "waiting" / "tuning.h"
    parser.add_argument("--build", type=Path, default=build, help="has bin/loadgrid (build/release)")
    parser.add_argument("--tuning", type=Path, default=header, help="the header (waiting/tuning.h)")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="LIST", help="of these thresholds only")
    parser.add_argument("--list", action="store_true", help="show the thresholds, and end")
    parser.add_argument("--cells", default=CELLS, metavar="OPTIONS", help=f"those of loadgrid ({CELLS})")
    parser.add_argument("--libgomp", action="store_const", const=["--libgomp"], default=[], help="on libgomp")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of a run ({SECONDS})")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help=f"({REPETITIONS})")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="of a build (the CPUs allowed)")
    parser.add_argument("--output", type=Path, help="folder of builds and runs (BUILD/../tuning)")
    results.add_option(parser)
    options = parser.parse_args()
    options.build, options.tuning = options.build.resolve(), options.tuning.resolve()
    options.output = (options.output or options.build.parent / "tuning").resolve()
    return options


def run(options: argparse.Namespace) -> None:
    header = options.tuning.read_text()
    thresholds = thresholds_of(header)
    if options.only is not None:
        if unknown := set(options.only) - {threshold.name for threshold in thresholds}:
            raise TuningError(f"{options.tuning.name} has no {', '.join(sorted(unknown))}")
        thresholds = [threshold for threshold in thresholds if threshold.name in options.only]
    if options.list:
        for t in thresholds:
            print(f"{t.name} = {t.shown} ({', '.join(t.changed(change) or '-' for change in CHANGES)})  {t.comment}")
        return
    # Before anything is built: what loadgrid would refuse.
    command(sys.executable, options.build / "bin" / "loadgrid", "--list", *options.libgomp, *shlex.split(options.cells))
    workshop = Workshop(options.output, options.tuning, options.jobs)
    workshop.prepare()
    measure(options, libraries(workshop, header, thresholds))
    show(options, thresholds)


def main() -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_exception)  # or what is built or measured would go on without us
    options = parse()
    try:
        run(options)
    except (TuningError, RecordError, OSError, ValueError) as error:
        print(f"tuning: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tuning: interrupted; the same command continues", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
