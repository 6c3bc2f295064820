"""The runs, a line of JSON each, written as soon as it is over, so that a table can be continued and drawn again."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

from running import Run

from lab import machine
from lab.commit import commit

# Runs of other ones are not put together in a table.
COMMON = ("machine", "kernel", "cpus", "library")


class RecordError(Exception):
    """One line: why a file cannot be read or continued."""


def common(library: Path) -> dict[str, Any]:
    return {
        "machine": f"{platform.machine()} {machine.processor()}",
        "kernel": platform.release(),
        "cpus": machine.cpus(),
        "library": machine.digest(library),
        "commit": commit(),
    }


class Record:
    """The file: a first line of what all runs have in common, then the runs."""

    def __init__(self, file: Path, shared: dict[str, Any] | None, versions: dict[str, str]) -> None:
        """Without `shared` the file is only read."""
        self.file = file
        self.versions = versions
        self.shared: dict[str, Any] = shared or {}
        self.runs: list[Run] = []
        if file.exists():
            self.read(shared)
        elif shared is None:
            raise RecordError(f"{file}: there are no runs yet")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            self.append(shared)
        self.done = {(run.recipe, run.load, run.setting, run.repetition) for run in self.runs}

    def read(self, shared: dict[str, Any] | None) -> None:
        content = self.file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]  # a last line that was cut off is not one
        try:
            first, *lines = [json.loads(line) for line in whole.decode().splitlines()]
            for line in lines:
                if self.versions.get(line["recipe"]) == line.pop("version"):
                    self.runs.append(Run(**line))
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{self.file} is not a file of runs: {error}; choose another --output") from None
        if shared is not None:
            for name in COMMON:
                if first.get(name) != shared[name]:
                    message = f"has {name} {first.get(name)}, this would be {shared[name]}"
                    raise RecordError(f"{self.file} {message}; choose another --output, or --fresh")
            os.truncate(self.file, len(whole))
        self.shared = first

    def append(self, values: dict[str, Any]) -> None:
        with self.file.open("ab", buffering=0) as out:
            out.write(json.dumps(values).encode() + b"\n")

    def add(self, run: Run) -> None:
        self.append(run.as_json() | {"version": self.versions[run.recipe]})
        self.runs.append(run)
        self.done.add((run.recipe, run.load, run.setting, run.repetition))

    def of(self, recipe: str, load: str, setting: str) -> list[Run]:
        return [run for run in self.runs if (run.recipe, run.load, run.setting) == (recipe, load, setting)]
