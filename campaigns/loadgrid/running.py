"""One run: a program under a setting, beside its load. Whatever happens, it ends and has an outcome."""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cells import COPY, QUOTA, Cell
from settings import Setting

from lab import machine, reports, runs
from lab.bench import HOG
from lab.environment import clean_environment
from lab.hogs import hogs
from lab.quota import Quota
from lab.runs import end_with_parent

OK = "ok"
# Seconds that a run lasts before and after what is counted. Under a quota the first period is not complete: without a
# margin, a team that exhausts its quota early in each period would be counted with one burst too many.
MARGINS = {COPY: 0.3, QUOTA: 0.25}
COPY_TRIES = 3  # with a slow start they may still not overlap
MOST_APART = 0.02  # seconds between the first iterations of two copies whose progress is recorded


@dataclass
class Measured:
    status: str = OK
    rates: list[float] = field(default_factory=list)  # per second; one for each copy
    wall_s: float = 0.0
    cpu_s: float = 0.0  # of all copies
    hog_cpu_s: float = 0.0  # of all CPU hogs, while it was counted
    replaced: int | None = None  # barriers that the preloaded library replaced
    progress: dict[float, float] = field(default_factory=dict)  # iterations of all copies by each time, in seconds


class Failed(Exception):
    """Why a run does not count, in a word or two and perhaps its last line."""


class Apart(Failed):
    """Copies that did not run side by side during all of the counted time."""


class Runner:
    """`times`: those at which progress is recorded, the last of which ends the run."""

    def __init__(
        self, programs: Path, seconds: float, limit: float, quota: Quota | None, times: Sequence[float] = ()
    ) -> None:
        self.programs = programs
        self.seconds = seconds
        self.limit = limit
        self.quota = quota
        self.times = times

    def run(self, cell: Cell, setting: Setting, phase: float = 0.0) -> Measured:
        """`phase`: how much of their first cycle hogs that come and go have behind them, from 0 to 1."""
        outcome = Measured()
        copies = 2 if cell.load == COPY else 1
        count, words = cell.hogs, []
        if cell.blink_s:
            count, words = machine.cpus(), ["--blink", f"{cell.blink_s:g}", "--phase", f"{2 * cell.blink_s * phase:g}"]
        with (
            tempfile.TemporaryDirectory(prefix="loadgrid-") as folder,
            hogs(count, self.programs / HOG, *words) as started,
        ):
            processes = [str(hog.pid) for hog in started]
            reports = [Path(folder) / f"{number}.json" for number in range(copies)]
            try:
                results = self.results(cell, setting, processes, reports)
            except (Failed, OSError, ValueError) as error:
                outcome.status = " ".join(str(error).split())[:160]
                return outcome
            outcome.rates = [result["iterations_per_s"] for result in results]
            outcome.wall_s = results[0]["seconds"]
            outcome.cpu_s = sum(result["cpu_seconds"] for result in results)
            outcome.hog_cpu_s = sum(results[0]["beside_cpu_seconds"])
            outcome.progress = {time: sum(done_by(time, result) for result in results) for time in self.times}
            if setting.preloaded:
                outcome.replaced = sum(instances_replaced(report) for report in reports)
                if outcome.replaced == 0 and cell.program == "barrier":
                    outcome.status = "nothing replaced"
        return outcome

    def seconds_of(self, cell: Cell) -> float:
        """Beside hogs that come and go whole cycles: else the phase would decide."""
        if not cell.blink_s or self.times:
            return self.seconds
        cycle = 2 * cell.blink_s
        return cycle * math.ceil(self.seconds / cycle)

    def results(self, cell: Cell, setting: Setting, beside: list[str], reports: list[Path]) -> list[dict]:
        for last in [False] * (COPY_TRIES - 1) + [True]:
            results = [json.loads(text) for text in self.outputs(cell, setting, beside, reports)]
            try:
                self.check(cell, setting, results)
                break
            except Apart:
                if last:
                    raise
        return results

    def outputs(self, cell: Cell, setting: Setting, beside: list[str], reports: list[Path]) -> list[str]:
        margin = MARGINS.get(cell.load, 0)
        command = [str(self.programs / (cell.program + setting.suffix)), "--format", "json"]
        command += ["--threads", str(cell.threads), "--interval", f"{cell.work_us:g}"]
        command += ["--seconds", f"{self.seconds_of(cell):g}", "--margin", f"{margin:g}"]
        if self.times:
            command += ["--progress", ",".join(f"{time:g}s" for time in self.times)]
        if beside:
            command += ["--beside", ",".join(beside)]
        environment = clean_environment() | setting.environment
        environment |= {"OMP_NUM_THREADS": str(cell.threads), "OMP_DYNAMIC": "false"}
        started: list[subprocess.Popen[str]] = []
        try:
            for report in reports:
                if setting.preloaded:
                    environment = environment | {"MUSTER_REPORT": str(report)}
                started.append(start(command, environment, self.before(cell), cell.own_session))
            limit = self.limit + self.seconds_of(cell) - self.seconds
            return [output_of(process, limit) for process in started]
        finally:
            for process in started:
                process.kill()
                process.communicate()

    def before(self, cell: Cell) -> Callable[[], None]:
        quota = self.quota if cell.load == QUOTA else None

        def prepare() -> None:
            end_with_parent()
            if quota is not None:
                quota.enter()

        return prepare

    def check(self, cell: Cell, setting: Setting, results: list[dict]) -> None:
        slack = MOST_APART if self.times else 0
        for result in results:
            loaded = result["runtime"].split(",")
            if not any(setting.runtime in os.path.realpath(path) for path in loaded):
                raise Failed(f"ran on {result['runtime']}")
            if result["threads"] != cell.threads:
                raise Failed(f"ran with {result['threads']} threads")
        for one in results:
            for other in results:
                # A copy that ran alone while it was counted had no load.
                if one["counted"][0] < other["ran"][0] - slack or one["counted"][1] > other["ran"][1]:
                    raise Apart("the copies did not run side by side")


def start(
    command: list[str], environment: dict[str, str], prepare: Callable[[], None], own_session: bool
) -> subprocess.Popen[str]:
    return runs.start_child(
        command, prepare, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=own_session,
    )  # fmt: skip


def output_of(process: subprocess.Popen[str], limit: float) -> str:
    try:
        text, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {limit:g} s") from None
    if process.returncode != 0:
        raise Failed(f"status {process.returncode} {errors.strip()[-100:]}")
    return text


def done_by(time: float, result: dict) -> float:
    """Iterations complete by then: on the line between two counts, since beside a load counts are taken a little late."""
    times, counts = [0.0, *result["progress_seconds"]], [0, *result["progress_iterations"]]
    after = bisect_left(times, time)
    part = (time - times[after - 1]) / (times[after] - times[after - 1])
    return counts[after - 1] + part * (counts[after] - counts[after - 1])


def instances_replaced(report: Path) -> int:
    try:
        return reports.read(report, lambda content: int(content["barriers"]["instances_replaced"]))
    except reports.ReportError:
        return 0
