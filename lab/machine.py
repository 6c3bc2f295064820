"""What the results of a measurement depend on besides the settings: the machine and the files that were measured."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

UNKNOWN = "unknown"
DIGITS = 12  # of a digest


def cpus() -> int:
    """The CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def processor() -> str:
    """Its model."""
    try:
        text = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        text = ""
    for key in ("model name", "cpu model", "cpu", "Processor"):
        if found := re.search(rf"(?m)^{key}\s*:\s*(.*\S)", text):
            return found[1]
    named = re.search(r"(?m)^Model name:\s*(.*\S)", output_of("lscpu"))
    return named[1] if named else UNKNOWN


def has_autogroups() -> bool:
    """Whether the kernel shares the CPUs by session first, and by thread within a session."""
    try:
        return int(Path("/proc/sys/kernel/sched_autogroup_enabled").read_text()) == 1
    except (OSError, ValueError):
        return False


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:DIGITS]


def output_of(*command: str | Path) -> str:
    """Empty where the command fails: nothing that is asked for here is worth a failure."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
