"""What the tests of papi-scripts share: where the scripts are, and a program that leaves a report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "papi-scripts"
BUILD = Path(os.environ.get("MUSTER_TEST_BUILD", "build/release")).resolve()
sys.path[:0] = [str(ROOT), str(SCRIPTS)]

from lab import scripts as lab_scripts  # noqa: E402
from lab.scripts import python_with, run_here  # noqa: E402, F401


def run(script: str, *words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return lab_scripts.run(SCRIPTS / script, *words, **more)


# A program without OpenMP that leaves a report as Muster does, with the counters of COUNTERS.
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
