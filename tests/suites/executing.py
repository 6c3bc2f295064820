"""Runs one case under one setting, and reads Muster's reports of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from case import Case

from lab import reports, runs
from lab.environment import clean_environment

# Programs, not functions, as `env` may stand before them.
PROGRAMS = {
    # What was compiled for one setting is used for the next: it is kept under a checksum of the command line.
    "once": """#!/bin/bash
previous= output=a.out
for word in "$@"; do [ "$previous" = -o ] && output=$word; previous=$word; done
key=built-$(printf '%s\\n' "$@" | cksum | tr -d ' ')
if [ -e "$key" ]; then exec cp -p "$key" "$output"; fi
"$@" && cp -p "$output" "$key"
""",
    # Other preloads of the case stay.
    "muster_run": """#!/bin/sh
[ -z "$SUITE_LIBRARY" ] || export LD_PRELOAD="$SUITE_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}"
exec "$@"
""",
}


@dataclass(frozen=True)
class CaseRun:
    passed: bool
    status: int | None  # None: no end in time
    output: str
    reports: int = 0
    replaced: int = 0  # arrivals
    folded: int = 0  # regions
    inactive: tuple[str, ...] = ()

    @property
    def took_part(self) -> bool:
        return self.replaced + self.folded > 0

    def describe(self) -> str:
        status = "no end in time" if self.status is None else f"status {self.status}"
        return f"{status}: {self.output.strip()[-300:]!r}"


@dataclass
class Places:
    """`library` None: the runs that would be preloaded are stock as well."""

    library: Path | None
    work: Path
    runtime: Path | None = None  # a folder for LD_LIBRARY_PATH
    timeout: float = 60.0
    threads: int = 4
    environment: dict[str, str] = field(default_factory=dict)

    def folder(self, case: Case) -> Path:
        return self.work / case.name.replace("/", "_")

    @property
    def programs(self) -> Path:
        return self.work / "bin"

    def variables(self, settings: dict[str, str] | None, reports: Path) -> dict[str, str]:
        """Of a stock run where `settings` is None."""
        out = {"OMP_NUM_THREADS": str(self.threads)} | self.environment
        if self.runtime is not None:
            out["LD_LIBRARY_PATH"] = str(self.runtime)
        if settings is not None and self.library is not None:
            out |= {"SUITE_LIBRARY": str(self.library), "MUSTER_REPORT": f"{reports}/%p.json"} | settings
        return out


def write_programs(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in PROGRAMS.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def execute(case: Case, places: Places, settings: dict[str, str] | None) -> CaseRun:
    folder = places.folder(case)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "reports"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir()
    environment = clean_environment() | places.variables(settings, kept)
    environment["PATH"] = f"{places.programs}:{environment['PATH']}"
    command = ["bash", "-c", "set -o pipefail\n" + case.script]
    ended = runs.run(command, environment, places.timeout, folder, one_stream=True)
    passed = ended.status is not None and (ended.status == 0) != case.must_fail
    return CaseRun(passed, ended.status, ended.stdout, **_read(kept))


def _read(folder: Path) -> dict:
    found = reports.read_all(folder)
    return {
        "reports": len(found),
        "replaced": sum(map(reports.replaced, found)),
        "folded": sum(map(reports.folded, found)),
        "inactive": tuple(sorted({str(report["inactive_reason"]) for report in found if not report["active"]})),
    }
