#!/usr/bin/env python3
"""What halving and doubling each threshold of `auto` does to the load grid.

    campaigns/tuning.py [--build build/release] [--only kName,...] [--cells '--threads 4 --hogs 0,4'] [--json FILE]

Builds libmuster.so as it is, and once for each threshold halved and doubled, in a copy of this tree (--output); then
`loadgrid` measures all of them interleaved. A ratio is that of the medians to the library as it is. The library as it
is is measured a second time: what that differs is noise. Started again with the same --output, it continues.

A threshold is a line `inline constexpr TYPE kName = VALUE;` of the header with a comment above it or beside it; constants
without one are not varied. VALUE may use the constants above it.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "campaigns" / "loadgrid")]

from cells import Cell  # noqa: E402
from record import RecordError, read  # noqa: E402
from settings import AUTO  # noqa: E402
from summary import Summary  # noqa: E402

from lab import bench, results, tables  # noqa: E402
from lab.statistics import geometric_mean  # noqa: E402

# Idle and crowded, fine and coarse: what thresholds decide about.
CELLS = "--programs barrier,parallel_for --threads 2,4,8 --hogs 0,4 --work 0,100"
SECONDS, REPETITIONS = 0.3, 3
CHANGES = ("half", "double")
AS_IS = "as-is"
NO_CHANGE = 0.03
# What of the tree does not get into the library.
BESIDE = ("docs", "tests", "campaigns", "lab", "papi-scripts", "python", "epcc", "sim", "gang", "benchmarks")
UNITS = {"kNs": 1, "kUs": 1_000, "kMs": 1_000_000, "kS": 1_000_000_000}  # where another header defines them
INTEGERS = r"std::u?int(?:8|16|32|64)_t|unsigned|int|long"
CONSTANT = re.compile(
    rf"^(?P<above>(?:[ \t]*//[^\n]*\n)*)[ \t]*(?:inline|static) constexpr (?P<type>{INTEGERS}|double) (?P<name>k\w+)\s*=\s*(?P<value>[^;{{}}]+);"
    r"(?:[ \t]*//[ \t]*(?P<comment>.*))?$",
    re.MULTILINE,
)


class TuningError(Exception):
    """One line: what is wrong with the header, the build or the grid."""


@dataclass(frozen=True)
class Threshold:
    name: str
    shown: str  # as the header has it
    value: float
    whole: bool
    comment: str
    begin: int  # where the value stands in the header
    end: int

    def changed(self, change: str) -> str | None:
        """The other value; None where it would be the same, or nothing."""
        if not self.whole:
            return repr(self.value / 2 if change == "half" else self.value * 2)
        other = int(self.value) // 2 if change == "half" else int(self.value) * 2
        return str(other) if other not in (0, self.value) else None


def value_of(text: str, known: dict[str, float], whole: bool) -> float:
    """Of an arithmetic expression of C++, in which names are known."""

    def value(node: ast.AST) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = value(left), value(right)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div() if b:
                        return a // b if whole else a / b
        raise ValueError

    plain = re.sub(r"(?<=[\d.])[uUlLfF]+\b", "", text.replace("'", "_"))
    return value(ast.parse(" ".join(plain.split()), mode="eval").body)


def comment_of(match: re.Match[str]) -> str:
    """What is beside the constant or, if nothing is, above it."""
    return (match["comment"] or " ".join(line.strip(" \t/") for line in match["above"].splitlines())).strip()


def thresholds_of(header: str) -> list[Threshold]:
    known: dict[str, float] = dict(UNITS)
    found = []
    for match in CONSTANT.finditer(header):
        whole = match["type"] != "double"
        try:
            known[match["name"]] = value_of(match["value"], known, whole)
        except (SyntaxError, ValueError):
            if not comment_of(match):
                continue
            raise TuningError(f"{match['name']}: '{match['value']}' is not understood") from None
        if comment_of(match):
            shown = " ".join(match["value"].split())
            where = match.span("value")
            found.append(Threshold(match["name"], shown, known[match["name"]], whole, comment_of(match), *where))
    if not found:
        raise TuningError("the header has no thresholds")
    return found


def with_change(header: str, threshold: Threshold, value: str) -> str:
    return header[: threshold.begin] + value + header[threshold.end :]


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
                found[name] = workshop.library(name, with_change(header, threshold, value))
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


def distance(value: float) -> float:
    return abs(math.log(value))


def three(found: dict[Cell, float]) -> tuple[str, str, str]:
    mean = geometric_mean(found.values())
    least, most = min(found.values(), default=None), max(found.values(), default=None)
    mean_text, least_text, most_text = ("-" if value is None else f"{value:.2f}" for value in (mean, least, most))
    return mean_text, least_text, most_text


def row_of(summary: Summary, threshold: Threshold, noise: float) -> tuple[str, ...]:
    half, double = (ratios(summary, f"{threshold.name}-{change}") for change in CHANGES)
    both = [*half.items(), *double.items()]
    if not both:
        return (threshold.name, threshold.shown, threshold.comment, *three(half), *three(double), "not measured", "")
    where, most = max(both, key=lambda item: distance(item[1]))
    if all(abs(value - 1) < NO_CHANGE for _, value in both):
        changes = "nothing"
    else:
        changes = "noise" if distance(most) <= noise else "yes"
    return (threshold.name, threshold.shown, threshold.comment, *three(half), *three(double), changes, str(where))


def rows_of(summary: Summary, thresholds: Sequence[Threshold]) -> list[tuple[str, ...]]:
    """What changes least comes last; first the library as it is, compared with itself."""
    same = ratios(summary, AS_IS)
    noise = max(map(distance, same.values()), default=0.0)
    where = max(same, key=lambda cell: distance(same[cell]), default="")
    rows = [row_of(summary, threshold, noise) for threshold in thresholds]
    order = {"yes": 0, "noise": 1, "nothing": 2, "not measured": 3}
    first = ("(as it is)", "", "", *three(same), "-", "-", "-", "noise", str(where))
    return [first, *sorted(rows, key=lambda row: order[row[HEAD.index("changes")]])]


def show(options: argparse.Namespace, thresholds: Sequence[Threshold]) -> None:
    shared, runs = read(options.output / "grid" / "runs.csv")
    summary = Summary(runs)
    rows = rows_of(summary, thresholds)
    notes = [
        f"Ratios to the library as it is, over {len(summary.cells())} cells: mean, least and most. `nothing`: less than"
        f" {NO_CHANGE:.0%} in every cell; `noise`: no more than the library as it is differs from itself.",
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
