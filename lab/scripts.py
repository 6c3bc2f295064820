"""How tests run the repository's scripts: as a user does, from outside, or in this process."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock


def run(
    script: Path, *words: str | Path, python: str = sys.executable, **more: Any
) -> subprocess.CompletedProcess[str]:
    command = [python, "-B", script, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, **more)


def python_with(*modules: str) -> str | None:
    """A Python that has these modules: this one, or the system's, for which Debian's packages are."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", f"import {', '.join(modules)}"], capture_output=True, check=False)
        if done.returncode == 0:
            return python
    return None


def run_here(main: Callable[[], int], *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Without a new interpreter, where its imports would take longer than its work."""
    out, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["script", *map(str, words)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        try:
            code = main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return subprocess.CompletedProcess(list(words), code, out.getvalue(), errors.getvalue())
