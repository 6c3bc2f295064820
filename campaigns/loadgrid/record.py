"""The CSV of all runs: a line a run, written as soon as it is over, so that a grid can be continued."""

from __future__ import annotations

import csv
import io
import os
import platform
import time
from dataclasses import dataclass, field
from pathlib import Path

from cells import Cell
from running import OK, Measured

from lab import machine as this_machine

# What all lines of a file have in common; a file of other ones is not continued.
COMMON = ("machine", "kernel", "cpus", "version", "library", "libomp", "seed", "seconds")
COLUMNS = (
    *COMMON, "time", "repetition", "program", "threads", "load", "work_us", "setting", "kind", "status",
    "rate_per_s", "first_rate_per_s", "second_rate_per_s", "wall_s", "cpu_s", "hog_cpu_s", "replaced",
    "progress",
)  # fmt: skip


class RecordError(Exception):
    """One line: why a file cannot be read or continued."""


@dataclass(frozen=True)
class Run:
    """A line of the file, as the summary needs it."""

    cell: Cell
    setting: str
    kind: str
    repetition: int
    cpus: int
    status: str
    rates: tuple[float, ...]
    wall_s: float
    cpu_s: float
    hog_cpu_s: float
    progress: dict[float, float] = field(default_factory=dict, hash=False)  # iterations by each time in seconds

    @property
    def rate(self) -> float:
        """Of all copies, per second. A run that failed got nothing done."""
        return sum(self.rates) if self.status == OK else 0.0


def machine() -> str:
    return f"{platform.machine()} {this_machine.processor()}"


def common(version: str, library: Path, libomp: str, seed: int, seconds: str) -> dict[str, str]:
    """`seconds`: of a run, or the times at which progress is recorded."""
    digest = this_machine.digest(library) if library.is_file() else "none"
    values = (machine(), platform.release(), this_machine.cpus(), version, digest, libomp, seed, seconds)
    return dict(zip(COMMON, map(str, values), strict=True))


def parse(row: dict[str, str]) -> Run:
    rates = [row["first_rate_per_s"], row["second_rate_per_s"]]
    return Run(
        Cell(row["program"], int(row["threads"]), row["load"], float(row["work_us"])),
        row["setting"],
        row["kind"],
        int(row["repetition"]),
        int(row["cpus"]),
        row["status"],
        tuple(float(rate) for rate in rates if rate),
        float(row["wall_s"] or 0),
        float(row["cpu_s"] or 0),
        float(row["hog_cpu_s"] or 0),
        dict(map(progress_point, (row.get("progress") or "").split())),
    )


def progress_point(text: str) -> tuple[float, float]:
    time, _, iterations = text.partition(":")
    return float(time), float(iterations)


def read(file: Path) -> tuple[dict[str, str], list[Run]]:
    """What the lines have in common, and the runs. A last line that was cut off is not one."""
    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    rows = list(csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1])))
    try:
        runs = [parse(row) for row in rows]
        shared = {name: rows[0][name] for name in COMMON} if rows else {}
    except (KeyError, ValueError, TypeError) as error:
        raise RecordError(f"{file} is not loadgrid's: {error}") from None
    return shared, runs


def read_seed(file: Path) -> int | None:
    """The seed of a file that is to be continued."""
    shared = read(file)[0] if file.exists() else {}
    return int(shared["seed"]) if shared else None


class Record:
    """The file of a grid that is being run."""

    def __init__(self, file: Path, shared: dict[str, str]) -> None:
        self.file = file
        self.shared = shared
        self.runs: list[Run] = []
        if file.exists():
            theirs, self.runs = read(file)
            for name in COMMON:
                if theirs and theirs[name] != shared[name]:
                    message = f"has {name} {theirs[name]}, this would be {shared[name]}; choose another --output"
                    raise RecordError(f"{file} {message}")
            content = file.read_bytes()
            if self.runs and content.split(b"\n", 1)[0] != ",".join(COLUMNS).encode():
                raise RecordError(f"{file} has the columns of another version; choose another --output")
            os.truncate(file, content.rfind(b"\n") + 1)
        if not file.exists() or file.stat().st_size == 0:
            self.append(list(COLUMNS))
        self.done = {(run.repetition, run.cell, run.setting) for run in self.runs}

    def append(self, values: list[str]) -> None:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(values)
        with self.file.open("ab", buffering=0) as out:
            out.write(line.getvalue().encode())

    def add(self, repetition: int, cell: Cell, setting: str, kind: str, outcome: Measured) -> None:
        rates = [f"{rate:.3f}" for rate in outcome.rates] + ["", ""]
        values = self.shared | {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "repetition": str(repetition),
            "program": cell.program,
            "threads": str(cell.threads),
            "load": cell.load,
            "work_us": f"{cell.work_us:g}",
            "setting": setting,
            "kind": kind,
            "status": outcome.status,
            "rate_per_s": f"{sum(outcome.rates):.3f}" if outcome.status == OK else "",
            "first_rate_per_s": rates[0],
            "second_rate_per_s": rates[1],
            "wall_s": f"{outcome.wall_s:.6f}",
            "cpu_s": f"{outcome.cpu_s:.6f}",
            "hog_cpu_s": f"{outcome.hog_cpu_s:.6f}",
            "replaced": "" if outcome.replaced is None else str(outcome.replaced),
            "progress": " ".join(f"{time:g}:{done:.1f}" for time, done in outcome.progress.items()),
        }
        self.append([values[name] for name in COLUMNS])
        self.runs.append(parse(values))
        self.done.add((repetition, cell, setting))
