"""Runs cases stock and preloaded, and keeps count."""

from __future__ import annotations

import hashlib
import json
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from plan import Case, subsequences
from sequence_runs import PROGRAMS, Printed, Runner, folds_of

REPORT_EVERY = 8  # cases, of which one has its report read
STOCK_AGAIN = 3  # stock runs of a case whose preloaded run differed: does stock differ from itself?
OURS_AGAIN = 1
GOOD = (0, 33)  # how programs end; 33: by the step `exits`
PROGRESS_EVERY = 60.0  # seconds


@dataclass
class Stock:
    """What stock did, kept in a file from run to run, for these programs only."""

    file: Path | None
    known: dict[str, Printed] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.file is None:
            return
        digest = hashlib.sha256()
        for source in sorted(PROGRAMS.iterdir()):
            digest.update(source.read_bytes())
        self.file = self.file.with_name(f"{self.file.name}-{digest.hexdigest()[:12]}")
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                key, status, lines = json.loads(line)
                self.known[key] = Printed(status, tuple(lines), ())

    def add(self, key: str, outcome: Printed) -> None:
        if self.file is None:
            return
        with self.lock:
            self.known[key] = outcome
            with self.file.open("a") as out:
                out.write(json.dumps([key, outcome.status, outcome.lines]) + "\n")


@dataclass
class Suite:
    runner: Runner
    stock: Stock
    scratch: Path
    prunes: bool = True
    failures_file: Path | None = None
    tells_left_out: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    failed: dict[tuple[str, str, str], set[tuple[str, ...]]] = field(default_factory=dict)
    failures: list[tuple[Case, str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    begin: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def run_all(self, cases: Iterator[Case], jobs: int, units: dict[Case, tuple[Path, int]] | None = None) -> None:
        def work() -> None:
            while True:
                with self.lock:
                    case = next(cases, None)
                if case is None:
                    return
                self._take(case, units.get(case) if units else None)

        with ThreadPoolExecutor(jobs) as pool:
            for worker in [pool.submit(work) for _ in range(jobs)]:
                worker.result()  # what it has raised

    def _contains_failed(self, case: Case) -> bool:
        failed = self.failed.get(case.family)
        return bool(failed) and not failed.isdisjoint(subsequences(case.steps))

    def _take(self, case: Case, unit: tuple[Path, int] | None) -> None:
        if self.prunes and self._contains_failed(case):
            with self.lock:
                self.counts["left out: contains a failing sequence"] += 1
            return
        what, problem = self.check(case, unit)
        with self.lock:
            self.counts[what] += 1
            if self.tells_left_out and what.startswith("left out"):
                print(f"{what}: {case} {problem}", flush=True)
            if what == "failed":
                self.failed.setdefault(case.family, set()).add(case.steps)
                self.failures.append((case, problem))
                print(f"FAILED {problem}\n  tests/sequences/run.py --library {self.runner.library} --case '{case}'\n"
                      f"  {self.runner.line(case, unit)}", flush=True)  # fmt: skip
                if self.failures_file is not None:
                    with self.failures_file.open("a") as out:
                        out.write(f"{case}  # {problem}\n")
            if time.monotonic() - self.told > PROGRESS_EVERY:
                self.told = time.monotonic()
                print(f"after {self.told - self.begin:.0f} s: {dict(self.counts)}", flush=True)

    def _stock_run(self, case: Case, unit: tuple[Path, int] | None) -> Printed:
        return self.runner.execute(self.runner.command(case, unit), self.runner.environment(case, False))

    def check(self, case: Case, unit: tuple[Path, int] | None) -> tuple[str, str]:
        """What is to be counted; and of a failure, what went wrong."""
        stock = self.stock.known.get(case.stock)
        if stock is None:
            stock = self._stock_run(case, unit)
            self.stock.add(case.stock, stock)
        if stock.status not in GOOD:
            return "left out: stock fails", f"status {stock.status} {stock.lines[-1:]} {stock.others[:2]}"
        report = self.scratch / f"{threading.get_ident()}.json"
        asks = self.runner.library is not None and zlib.crc32(f"report {case}".encode()) % REPORT_EVERY == 0
        environment = self.runner.environment(case, True, str(report) if asks else "")
        command = self.runner.command(case, unit)
        ours = self.runner.execute(command, environment)
        with self.lock:
            self.counts["preloaded runs"] += 1
        if ours.same_as(stock):
            return self._read(report, case) if asks else ("passed", "")
        for _ in range(STOCK_AGAIN):
            if not self._stock_run(case, unit).same_as(stock):
                self.stock.add(case.stock, Printed(-1, (), ()))
                return "left out: stock differs from itself", ""
        again = sum(not self.runner.execute(command, environment).same_as(stock) for _ in range(OURS_AGAIN))
        report.unlink(missing_ok=True)
        return "failed", f"{1 + again} of {1 + OURS_AGAIN} runs: {ours.difference(stock)}"

    def _read(self, report: Path, case: Case) -> tuple[str, str]:
        found = folds_of(report)
        report.unlink(missing_ok=True)
        if isinstance(found, str):
            return "failed", found
        opened, folded = found
        with self.lock:
            self.counts[f"reports, {case.mode}"] += 1
            self.counts[f"reports with folds, {case.mode}"] += opened > 0
            self.counts["regions folded in these"] += folded
        return "passed", ""

    def minimal(self) -> list[tuple[Case, str]]:
        """Failures that contain no other one."""
        found = []
        for case, problem in sorted(self.failures, key=lambda pair: len(pair[0].steps)):
            shorter = subsequences(case.steps) - {case.steps}
            if self.failed[case.family].isdisjoint(shorter):
                found.append((case, problem))
        return found
