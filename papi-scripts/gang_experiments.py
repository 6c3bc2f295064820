#!/usr/bin/env python3
"""The experiments of Peter et al. on this machine: programs under the kernel's scheduler and under bin/gang.

    papi-scripts/gang_experiments.py [--build build/release] [--only NAME] [--anew] [--csv FILE]

It prints a line for each cell: medians of interleaved repetitions, with their least and most. Each run is kept when
it has ended (build/campaigns/gang-*.json), so an interrupted series continues; --anew forgets them first.
Nothing else should run on the machine meanwhile. The claims P1 to P5 and the figures peter-2 to peter-4 are made of
these cells.

Barriers are the paper's, fixed-time spin-block for 50 us: Muster's, MUSTER_WAIT=50us. Teams have a thread for each
CPU, bound to it (OMP_PROC_BIND): else the kernel's wake-ups gather a team that blocks on one CPU, alone as well. A run
in which Muster replaced no barriers, by its own report, is an error and not kept.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab.machine import cpus  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import add_option, leave, table_of_words  # noqa: E402
from lab.tables import table  # noqa: E402
from lab.whole_file import whole_file  # noqa: E402

SPIN = "50us"  # the paper's
LONG_SPIN = "4000us"  # of its High 4ms
SLICE_MS = 100  # the paper names none
HIGH_NICE = -10  # nor what a higher priority is
SECONDS = 2.0
MARGIN = 0.3
BATCH_SECONDS = 5.0  # the paper's
STREAM_SECONDS = 9.0
LEAD = 0.8  # for all four to be ready
STREAMS = 4
INTERVALS_US = (0, 10, 40, 100, 400, 2000, 15000, 30000)
VARIANCES_US = (0, 40, 200, 1000, 2000, 5000, 10000)
BURSTS_PER_S = (0.5, 1, 2, 3)
REPETITIONS = {"interval": 3, "variance": 3, "batch": 3, "priorities": 3, "streams": 1, "overhead": 3, "assumptions": 3}
NAMES = tuple(REPETITIONS)

Progressing = Callable[[float, str], None]


class ExperimentError(Exception):
    """For the user: what failed, and what it said."""


@dataclass(frozen=True)
class App:
    """A program beside another."""

    words: tuple[str, ...]
    spin: str = SPIN
    nice: int = 0
    cpu: int | None = None  # its only one
    bound: bool = True  # each thread of the team to a processor

    @property
    def is_team(self) -> bool:
        """A single thread's barriers are nothing to replace; nor has a stream any that had no update."""
        return self.words[self.words.index("--threads") + 1] != "1"


@dataclass(frozen=True)
class Cell:
    """What is run together, and how."""

    experiment: str
    x: float
    arm: str
    apps: tuple[App, ...]
    gang: tuple[str, ...] | None = None  # its options; without: the kernel's scheduler
    in_turn: bool = False  # one after the other has ended
    seconds: float = SECONDS + 2 * MARGIN  # about what it takes
    repetitions: int = 3


def barrier(threads: int, interval: float = 0, variance: float = 0, seconds: float = SECONDS, **more: object) -> App:
    words = ["barrier", "--threads", str(threads), "--interval", f"{interval:g}", "--variance", f"{variance:g}"]
    words += ["--seconds", f"{seconds:g}", "--margin", f"{MARGIN:g}", "--format", "json"]
    return App(tuple(words), **more)  # type: ignore[arg-type]


def stream(threads: int, number: int, bursts: float) -> App:
    words = ["stream-clustering", "--threads", str(threads), "--seed", str(number + 1), "--bursts", f"{bursts:g}"]
    return App((*words, "--seconds", f"{STREAM_SECONDS:g}", "--lead", f"{LEAD:g}", "--format", "json"))


GANG = ("--slice", str(SLICE_MS))


def cells_of(name: str, threads: int) -> Iterator[Cell]:
    """Of one experiment. `gang` and `plain` are its arms, but for the priorities."""
    repetitions = REPETITIONS[name]
    other = barrier(threads)
    if name in ("interval", "variance"):
        for x in INTERVALS_US if name == "interval" else VARIANCES_US:
            apps = (barrier(threads, x, 0) if name == "interval" else barrier(threads, 0, x), other)
            yield Cell(name, x, "plain", apps, repetitions=repetitions)
            yield Cell(name, x, "gang", apps, GANG, repetitions=repetitions)
    elif name == "batch":
        half = barrier(threads, seconds=BATCH_SECONDS)
        whole = barrier(threads, seconds=2 * BATCH_SECONDS)
        seconds = 2 * (BATCH_SECONDS + 2 * MARGIN)
        yield Cell(name, 0, "batch", (half, half), None, True, seconds, repetitions)
        yield Cell(name, 0, "gang", (whole, whole), GANG, False, seconds, repetitions)
    elif name == "priorities":
        for x, (arm, second, gang) in enumerate(priority_arms(threads)):
            first = barrier(threads, spin=second.spin if arm != "High 4ms, App2 only" else SPIN)
            yield Cell(name, x, arm, (first, second), gang, repetitions=repetitions)
    elif name == "streams":
        for bursts in BURSTS_PER_S:
            apps = tuple(stream(threads, number, bursts) for number in range(STREAMS))
            for arm, gang in (("plain", None), ("gang", GANG)):
                yield Cell(name, bursts, arm, apps, gang, False, STREAM_SECONDS + 2, repetitions)
    elif name == "assumptions":
        # What the paper leaves open, where its gain is greatest: teams not bound, spin times, how turns are given.
        for x, (arm, more, how) in enumerate(
            (
                ("not bound", {"bound": False}, GANG),
                ("spin 200us", {"spin": "200us"}, GANG),
                ("slices of 25 ms", {}, ("--slice", "25")),
                ("by signals", {}, (*GANG, "--by", "signals")),
            )
        ):
            both = (barrier(threads, **more),) * 2
            yield Cell(name, x, f"{arm}: plain", both, repetitions=repetitions)
            yield Cell(name, x, f"{arm}: gang", both, how, repetitions=repetitions)
    else:
        # A tight loop, twice, on one processor: what the turns themselves cost.
        alone = barrier(1, seconds=2, cpu=min(os.sched_getaffinity(0)))
        for arm, gang in (("plain", None), *((f"{ms} ms", ("--slice", str(ms))) for ms in (25, 100))):
            yield Cell(name, 0, arm, (alone, alone), gang, False, 2 + 2 * MARGIN, repetitions)


def priority_arms(threads: int) -> Iterator[tuple[str, App, tuple[str, ...] | None]]:
    yield "Identical", barrier(threads), None
    yield "High", barrier(threads, nice=HIGH_NICE), None
    yield "High 4ms", barrier(threads, nice=HIGH_NICE, spin=LONG_SPIN), None
    yield "Gang", barrier(threads), GANG
    yield "GangHi", barrier(threads), (*GANG, "--weights", "1,2")
    # What is left open by the paper: how high, and whose spin time.
    yield "High, nice -20", barrier(threads, nice=-20), None
    yield "High 4ms, nice -20", barrier(threads, nice=-20, spin=LONG_SPIN), None
    yield "High 4ms, App2 only", barrier(threads, nice=HIGH_NICE, spin=LONG_SPIN), None


def report_of(output: Path) -> Path:
    """Muster's, of the program with that output."""
    return output.with_suffix(".json")


def check_replaced(app: App, path: Path) -> None:
    """Else the stock barriers were measured: the library was not there, kept out of it, or was given another wait."""
    what = f"{shlex.join(app.words)}: Muster's report"
    try:
        report = json.loads(path.read_text())
        replaced, reason = int(report["barriers"]["instances_replaced"]), report["inactive_reason"]
        wait = report["settings"]["MUSTER_WAIT"]
    except FileNotFoundError:
        raise ExperimentError(f"{what}: there is none; libmuster.so was not preloaded, or is off") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ExperimentError(f"{what}: cannot be read: {error!r}") from None
    if replaced == 0:
        raise ExperimentError(f"{what}: no barrier was replaced ({reason or report['barriers'].get('by_reason')})")
    if wait != app.spin:
        raise ExperimentError(f"{what}: waited by {wait}, not {app.spin}")


class Runner:
    """Runs cells, each sample once."""

    def __init__(self, build: Path, folder: Path | None = None) -> None:
        self.build = build.resolve()
        self.folder = folder if folder is not None else self.build.parent / "campaigns"
        self.made = 0
        self.running: list[subprocess.Popen[str]] = []
        programs = [self.build / "bin" / name for name in ("gang", "barrier", "stream-clustering")]
        programs.append(self.build / "lib" / "libmuster.so")
        for path in programs:
            if not path.is_file():
                raise ExperimentError(f"{path} is missing; run ./bootstrap build first, or name --build")
        contents = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in programs)
        self.version = hashlib.sha256(contents).hexdigest()

    def path_of(self, cell: Cell, repetition: int) -> Path:
        key = hashlib.sha256(f"{self.version} {cell} {repetition} {cpus()}".encode()).hexdigest()[:32]
        return self.folder / f"gang-{key}.json"

    def words(self, app: App, output: Path) -> list[str]:
        program, *rest = app.words
        # Muster for the program only, and each program's output for itself.
        settings = [f"LD_PRELOAD={self.build / 'lib' / 'libmuster.so'}", f"MUSTER_WAIT={app.spin}"]
        settings.append(f"MUSTER_REPORT={report_of(output)}")
        settings.append(f"OMP_PROC_BIND={'true' if app.bound else 'false'}")
        command = ["env", *settings, str(self.build / "bin" / program), *rest]
        if app.nice:
            command = ["nice", "-n", str(app.nice), *command]
        if app.cpu is not None:
            command = ["taskset", "-c", str(app.cpu), *command]
        return ["sh", "-c", 'exec "$@" >"$0"', str(output), *command]

    def start(self, words: Sequence[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, process_group=0)
        self.running.append(process)
        return process

    def finish(self, process: subprocess.Popen[str]) -> None:
        errors = process.communicate()[1]
        self.running.remove(process)
        if process.returncode != 0:
            said = errors.strip().splitlines()
            raise ExperimentError(f"{process.args}: exit status {process.returncode}: {said[-1] if said else ''}")

    def run(self, cell: Cell) -> list[dict]:
        """What each program printed."""
        folder = Path(tempfile.mkdtemp(prefix="gang-"))
        try:
            outputs = [folder / str(i) for i in range(len(cell.apps))]
            commands = [self.words(app, output) for app, output in zip(cell.apps, outputs, strict=True)]
            if cell.gang is not None:
                words = [str(self.build / "bin" / "gang"), *cell.gang, "--"]
                for i, command in enumerate(commands):
                    words += (["::"] if i else []) + command
                self.finish(self.start(words))
            elif cell.in_turn:
                for command in commands:
                    self.finish(self.start(command))
            else:
                for process in [self.start(command) for command in commands]:
                    self.finish(process)
            printed = [json.loads(path.read_text()) for path in outputs]
            for app, output, one in zip(cell.apps, outputs, printed, strict=True):
                if app.is_team and one.get("updates") != 0:
                    check_replaced(app, report_of(output))
            return printed
        finally:
            shutil.rmtree(folder)

    def end(self) -> None:
        for process in self.running:
            os.killpg(process.pid, signal.SIGTERM)

    def samples(self, cells: Sequence[Cell], progress: Progressing | None = None) -> dict[Cell, list[list[dict]]]:
        """Of each cell all repetitions; made in rounds, so that a drift of the machine meets all cells alike."""
        self.folder.mkdir(parents=True, exist_ok=True)
        rounds = max((cell.repetitions for cell in cells), default=0)
        order = [(cell, r) for r in range(rounds) for cell in cells if r < cell.repetitions]
        found: dict[Cell, list[list[dict]]] = {cell: [] for cell in cells}
        total = sum(cell.seconds for cell, _ in order) or 1.0
        done = 0.0
        try:
            for cell, repetition in order:
                if progress is not None:
                    progress(done / total, f"{cell.experiment} {cell.x:g} {cell.arm}")
                found[cell].append(self.sample(cell, repetition))
                done += cell.seconds
        except BaseException:
            self.end()
            raise
        return found

    def sample(self, cell: Cell, repetition: int) -> list[dict]:
        path = self.path_of(cell, repetition)
        try:
            return json.loads(path.read_text())["printed"]
        except (OSError, ValueError, KeyError):
            pass
        printed = self.run(cell)
        self.made += 1
        with whole_file(path) as unfinished:
            unfinished.write_text(json.dumps({"cell": str(cell), "printed": printed}))
        return printed


@dataclass(frozen=True)
class Value:
    middle: float
    least: float
    most: float


def value_of(numbers: Sequence[float]) -> Value:
    return Value(statistics.median(numbers), min(numbers), max(numbers))


def rates(sample: list[dict]) -> list[float]:
    """Iterations a second of each BARRIER program."""
    return [one["iterations_per_s"] for one in sample]


def latencies(sample: list[dict]) -> list[float]:
    """Of all streams' updates, seconds."""
    return sorted(latency for one in sample for latency in one["latencies_s"])


def percentile(numbers: Sequence[float], share: float) -> float:
    return numbers[round(share * (len(numbers) - 1))]


Measured = dict[tuple[float, str], list[list[dict]]]


def measure(runner: Runner, name: str, progress: Progressing | None = None) -> Measured:
    """The samples of an experiment's cells, by x and arm."""
    samples = runner.samples(list(cells_of(name, cpus())), progress)
    return {(cell.x, cell.arm): found for cell, found in samples.items()}


def gains(measured: Measured, experiment_xs: Sequence[float]) -> dict[float, Value]:
    """Of the first application: how many times what the kernel's scheduler gave it. Rounds are compared in pairs."""
    found = {}
    for x in experiment_xs:
        pairs = zip(measured[x, "gang"], measured[x, "plain"], strict=True)
        found[x] = value_of([rates(gang)[0] / rates(plain)[0] for gang, plain in pairs])
    return found


HEAD = ("experiment", "x", "arm", "quantity", "median", "least", "most")


def rows(name: str, measured: Measured) -> Iterator[tuple[object, ...]]:
    for (x, arm), samples in measured.items():
        if name == "streams":
            every = [latencies(sample) for sample in samples]
            for label, share in (("least", 0.0), ("p10", 0.1), ("median", 0.5), ("p90", 0.9), ("most", 1.0)):
                value = value_of([1e3 * percentile(one, share) for one in every])
                yield name, x, arm, f"latency {label}, ms", value.middle, value.least, value.most
            mean = value_of([1e3 * statistics.fmean(one) for one in every])
            yield name, x, arm, "latency mean, ms", mean.middle, mean.least, mean.most
            continue
        for i in range(len(samples[0])):
            value = value_of([rates(sample)[i] for sample in samples])
            yield name, x, arm, f"App{i + 1} iterations/s", value.middle, value.least, value.most


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"), metavar="DIR", help="(build/release)")
    parser.add_argument("--only", action="append", choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="as CSV into a file")
    add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Progress()
    rows_of: list[tuple[object, ...]] = []
    try:
        runner = Runner(arguments.build)
        names = arguments.only or NAMES
        if arguments.anew:
            for name in names:
                for cell in cells_of(name, cpus()):
                    for repetition in range(cell.repetitions):
                        runner.path_of(cell, repetition).unlink(missing_ok=True)
        # Experiments one after the other; within each, rounds.
        for i, name in enumerate(names):
            share = (lambda part, what, i=i: progress((i + part) / len(names), what))  # fmt: skip
            rows_of += rows(name, measure(runner, name, share))
        progress.clear()
    except (ExperimentError, OSError) as error:
        progress.clear()
        print(f"gang_experiments: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        progress.clear()
        print("gang_experiments: interrupted; the same command continues", file=sys.stderr)
        return 130
    if arguments.csv is not None:
        with arguments.csv.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD, *rows_of])
    shown = []
    for name, x, arm, quantity, *values in rows_of:
        shown.append([name, f"{x:g}", arm, quantity, *(f"{value:,.2f}" for value in values)])
    print(table(HEAD, shown, {"experiment", "arm", "quantity"}))
    if arguments.json is not None:
        leave(arguments.json, "Programs side by side and in gang slices", [table_of_words(HEAD, shown)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
