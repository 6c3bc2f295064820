"""How the tests run the scripts: as a user does, from outside."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "papi-scripts"
BUILD = Path(os.environ.get("MUSTER_TEST_BUILD", "build/release")).resolve()
sys.path.insert(0, str(SCRIPTS))


def run(script: str, *words: str | Path, python: str = sys.executable, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [python, "-B", SCRIPTS / script, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, **more)


def python_with_pandas() -> str | None:
    """Debian's packages are Debian's Python's."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import matplotlib, pandas"], capture_output=True, check=False)
        if done.returncode == 0:
            return python
    return None


def run_here(main: Callable[[], int], *words: str | Path) -> subprocess.CompletedProcess[str]:
    """The same without a new interpreter, where its imports take longer than its work."""
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


# A program that is no OpenMP program but leaves a report as Muster would, with the counters of COUNTERS.
PRETENDER = r"""#!/bin/sh
if [ -n "$MUSTER_REPORT" ]; then
  more=
  if [ -n "$COUNTERS" ]; then more=", \"counters\": $COUNTERS"; fi
  wanted=$(dirname "$MUSTER_REPORT")
  cat >"$wanted/$$.json" <<END
{"muster": "9.9", "settings": {"MUSTER_BARRIER": "$MUSTER_BARRIER", "MUSTER_WAIT": "$MUSTER_WAIT"},
 "inactive_reason": null, "runtimes": [{"path": "/nowhere/libomp.so.5", "kind": "libomp"}],
 "barriers": {"replaced": ${REPLACED-200}, "passed_through": 3, "instances_replaced": 100,
  "by_reason": [{"reason": "tasks", "count": 3}]},
 "waiting": {"waits": 60, "spins_begun": 50, "spins_succeeded": 40, "blocks": 10, "wakeups": 9, "wake_calls": 8,
  "failed_updates": 25, "yields": 7, "waited_ns": 400000}$more}
END
fi
eval "$PRETEND"
"""


def pretender(folder: Path) -> Path:
    path = folder / "pretender"
    path.write_text(PRETENDER)
    path.chmod(0o755)
    return path
