"""One run: a program under a setting, beside its load. Whatever happens, it ends and has an outcome."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cells import COPY, QUOTA, Cell
from settings import Setting

from lab import reports
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


@dataclass
class Measured:
    status: str = OK
    rates: list[float] = field(default_factory=list)  # per second; one for each copy
    wall_s: float = 0.0
    cpu_s: float = 0.0  # of all copies
    hog_cpu_s: float = 0.0  # of all CPU hogs, while it was counted
    replaced: int | None = None  # barriers that the preloaded library replaced


class Failed(Exception):
    """Why a run does not count, in a word or two and perhaps its last line."""


class Apart(Failed):
    """Copies that did not run side by side during all of the counted time."""


class Runner:
    def __init__(self, programs: Path, seconds: float, limit: float, quota: Quota | None) -> None:
        self.programs = programs
        self.seconds = seconds
        self.limit = limit
        self.quota = quota

    def run(self, cell: Cell, setting: Setting) -> Measured:
        outcome = Measured()
        copies = 2 if cell.load == COPY else 1
        with (
            tempfile.TemporaryDirectory(prefix="loadgrid-") as folder,
            hogs(cell.hogs, self.programs / HOG) as started,
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
            if setting.preloaded:
                outcome.replaced = sum(instances_replaced(report) for report in reports)
                if outcome.replaced == 0 and cell.program == "barrier":
                    outcome.status = "nothing replaced"
        return outcome

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
        command += ["--seconds", f"{self.seconds:g}", "--margin", f"{margin:g}"]
        if beside:
            command += ["--beside", ",".join(beside)]
        environment = clean_environment() | setting.environment
        environment |= {"OMP_NUM_THREADS": str(cell.threads), "OMP_DYNAMIC": "false"}
        started: list[subprocess.Popen[str]] = []
        try:
            for report in reports:
                if setting.preloaded:
                    environment = environment | {"MUSTER_REPORT": str(report)}
                started.append(start(command, environment, self.before(cell)))
            return [self.output_of(process) for process in started]
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

    def output_of(self, process: subprocess.Popen[str]) -> str:
        try:
            text, errors = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            raise Failed(f"no end after {self.limit:g} s") from None
        if process.returncode != 0:
            raise Failed(f"status {process.returncode} {errors.strip()[-100:]}")
        return text

    def check(self, cell: Cell, setting: Setting, results: list[dict]) -> None:
        for result in results:
            loaded = result["runtime"].split(",")
            if not any(setting.runtime in os.path.realpath(path) for path in loaded):
                raise Failed(f"ran on {result['runtime']}")
            if result["threads"] != cell.threads:
                raise Failed(f"ran with {result['threads']} threads")
        for one in results:
            for other in results:
                # A copy that ran alone while it was counted had no load.
                if one["counted"][0] < other["ran"][0] or one["counted"][1] > other["ran"][1]:
                    raise Apart("the copies did not run side by side")


def start(command: list[str], environment: dict[str, str], prepare: Callable[[], None]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare
    )


def instances_replaced(report: Path) -> int:
    try:
        return reports.read(report, lambda content: int(content["barriers"]["instances_replaced"]))
    except reports.ReportError:
        return 0
