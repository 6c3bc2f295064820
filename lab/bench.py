"""Runs the programs of a build, stock and preloaded, and keeps what failed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lab import hogs, runs
from lab.environment import clean_environment, preload

HOG = "burner"  # the program


class Bench:
    """Of a build folder, which has lib/libmuster.so and the programs in bin/."""

    def __init__(self, build: Path, needed: Iterable[str] = (), limit: float = 60.0) -> None:
        self.bin = build.resolve() / "bin"
        self.library = build.resolve() / "lib" / "libmuster.so"
        self.limit = limit  # seconds of a run
        self.failures: list[str] = []
        for path in (self.library, *(self.bin / name for name in needed)):
            if not path.is_file():
                sys.exit(f"{path} is missing; run ./bootstrap build first")

    def environment(self, preloaded: bool | Path, **settings: str) -> dict[str, str]:
        """Stock, preloaded, or preloaded with another library."""
        library = self.library if preloaded is True else preloaded or None
        return clean_environment(keep=("LD_LIBRARY_PATH",)) | preload(library) | settings

    def start(
        self, program: str, words: Sequence[str], preloaded: bool | Path = False, **settings: str
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.bin / program, *words],
            env=self.environment(preloaded, **settings),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def output(
        self, program: str, words: Sequence[str], preloaded: bool | Path = False, **settings: str
    ) -> str | None:
        """What it printed; None, and a line in `failures`, where it failed or took too long."""
        command = [self.bin / program, *words]
        ended = runs.run(command, self.environment(preloaded, **settings), self.limit, own_session=False)
        if ended.status == 0:
            return ended.stdout
        shown = " ".join(["preloaded" if preloaded else "stock", *(f"{k}={v}" for k, v in settings.items())])
        how = f"no end after {self.limit:.0f} s" if ended.status is None else f"status {ended.status}"
        self.failures.append(f"{shown}: {program} {' '.join(words)}: {how} {ended.stderr.strip()[-200:]}".strip())
        return None

    def hogs(self, count: int) -> contextlib.AbstractContextManager[list[subprocess.Popen[bytes]]]:
        return hogs.hogs(count, self.bin / HOG)


def say(script: str, text: str) -> None:
    print(f"{script}: {text}", file=sys.stderr, flush=True)


def warn_if_busy(script: str) -> None:
    load = os.getloadavg()[0]
    if load > 0.5:
        say(script, f"the load average is {load:.1f} already: \"idle\" will not be idle")
