"""One run of the user's program. Whatever happens, it ends and has an outcome."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from collection.plan import NATIVE, Setting
from lab import reports, runs
from lab.environment import without

OK = "ok"
ENOUGH = 4000  # bytes of what was said last
NO_REPORT = "no report: it uses no OpenMP, is linked statically, or did not end by exit"


@dataclass
class Measured:
    status: str = OK
    exit_status: int | None = None  # negative: the signal
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    said: str = ""  # Muster's last complaint
    value: str = ""  # what the program says of itself, where it was asked for
    reports: list[dict] = field(default_factory=list)  # Muster's, of the processes that have an OpenMP runtime


@dataclass(frozen=True)
class Program:
    command: Sequence[str]  # {threads} in an argument is the number of threads
    timeout_s: float
    library: Path
    events: Sequence[str] = ()
    value: re.Pattern[str] | None = None

    def words(self, setting: Setting) -> list[str]:
        return [word.replace("{threads}", str(setting.threads)) for word in self.command]

    def environment(self, setting: Setting, folder: str) -> dict[str, str]:
        """The user's own, but for what is set here."""
        ours = without(["MUSTER"])
        ours["OMP_NUM_THREADS"] = str(setting.threads)
        if setting.preloaded:
            others = ours.get("LD_PRELOAD", "")
            ours["LD_PRELOAD"] = f"{self.library} {others}".strip()
            ours["MUSTER_BARRIER"] = setting.barrier
            ours["MUSTER_WAIT"] = setting.wait
            ours["MUSTER_REPORT"] = f"{folder.replace('%', '%%')}/%p.json"
            if self.events:
                ours["MUSTER_COUNTERS"] = ",".join(self.events)
        return ours

    def run(self, setting: Setting) -> Measured:
        with tempfile.TemporaryDirectory(prefix="muster-collect-") as folder:
            outcome = self.run_in(setting, folder)
            found = reports.read_all(Path(folder), checked=False)
            outcome.reports = [report for report in found if report.get("runtimes")]
        if outcome.status == OK and setting.preloaded:
            outcome.status = judge(setting, outcome.reports)
            if outcome.status == NO_REPORT and outcome.said:
                outcome.status = f"no report: {outcome.said}"
        return outcome

    def run_in(self, setting: Setting, folder: str) -> Measured:
        outcome = Measured()
        environment = self.environment(setting, folder)
        output, errors = Path(folder) / "stdout", Path(folder) / "stderr"
        with output.open("wb") as out, errors.open("wb") as err:
            began = time.monotonic()
            try:
                process = runs.start_child(
                    self.words(setting),
                    runs.end_with_parent,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out if self.value else subprocess.DEVNULL,
                    stderr=err,
                    start_new_session=True,
                )
            except OSError as error:
                outcome.status = f"cannot be run: {error.strerror}"
                return outcome
            try:
                timed_out = not runs.ends_within(process.pid, self.timeout_s)
                outcome.elapsed_s = time.monotonic() - began
            finally:  # by a signal to us as well: nothing of it is left running
                end_group(process.pid)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        outcome.exit_status = process.returncode
        outcome.cpu_s = usage.ru_utime + usage.ru_stime
        outcome.status = status_of(outcome.exit_status, self.timeout_s if timed_out else None, last_line(errors))
        outcome.said = last_line(errors, "muster: MUSTER_REPORT")
        if self.value is not None and outcome.status == OK:
            found = self.value.search(output.read_text(errors="replace"))
            if found is None:
                outcome.status = f"printed nothing that matches {self.value.pattern}"
            else:
                outcome.value = found[1] if self.value.groups else found[0]
                if not is_number(outcome.value):
                    outcome.status = f"{outcome.value!r}, which matches {self.value.pattern}, is no number"
                    outcome.value = ""
        return outcome


def is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def end_group(group: int) -> None:
    """Also of those that a program left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def last_line(path: Path, beginning: str = "") -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - ENOUGH))
        lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip()[-160:] for line in reversed(lines) if line.strip() and line.startswith(beginning)), "")


def status_of(code: int, timed_out_s: float | None, said: str) -> str:
    if timed_out_s is not None:
        return f"no end after {timed_out_s:g} s"
    if code == 0:
        return OK
    if code < 0:
        return f"ended by {runs.how_it_ended(code)}"
    return f"exit status {code}" + (f": {said}" if said else "")


def judge(setting: Setting, found: list[dict]) -> str:
    """Whether that run was what it was meant to be."""
    if not found:
        return NO_REPORT
    for report in found:
        for name, meant in (("MUSTER_BARRIER", setting.barrier), ("MUSTER_WAIT", setting.wait)):
            had = report.get("settings", {}).get(name)
            if had != meant and not (name == "MUSTER_WAIT" and re.fullmatch(r"[0-9]+us", meant)):
                return f"{name} was {had} in it"
    if setting.barrier == NATIVE or setting.threads == 1:
        return OK
    if not any(report["barriers"]["replaced"] for report in found):
        return f"no barrier was replaced: {reports.why_passed_through(found) or 'the program has none'}"
    return OK
