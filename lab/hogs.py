"""CPU hogs: processes that only use CPU time. They end with this process, whichever way it ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

SETTLING = 0.1  # seconds for the scheduler to spread the hogs over the CPUs
HOG = "import os\nwhile os.getppid() == {parent}: sum(range(100000))"


def start_hog(program: Path | None = None, *words: str) -> subprocess.Popen[bytes]:
    """Runs bin/burner (with these arguments) where it is given, else a Python loop."""
    command = [program, *words] if program else [sys.executable, "-c", HOG.format(parent=os.getpid())]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def end_hog(hog: subprocess.Popen[bytes]) -> None:
    hog.kill()
    hog.wait()


@contextlib.contextmanager
def hogs(count: int, program: Path | None = None, *words: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many hogs while the body runs."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            started.append(start_hog(program, *words))
        if started:
            time.sleep(SETTLING)
        yield started
    finally:
        for hog in started:
            end_hog(hog)
