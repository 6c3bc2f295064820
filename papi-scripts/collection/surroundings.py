"""What a number depends on besides the setting: machine, kernel, compiler, runtime."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from pathlib import Path

UNKNOWN = "unknown"
RUNTIME = re.compile(r"/lib(omp|iomp5|gomp)\b[^/]*$")
NUMBER_OF_BYTES = 12


def output_of(*command: str | Path) -> str:
    """Empty where it fails: none of this is worth a collection."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def processor() -> str:
    """Its model as the system names it, and how many there are."""
    try:
        text = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        text = ""
    rest = f" ({platform.machine()}, {os.cpu_count() or UNKNOWN} CPUs)"
    for key in ("model name", "cpu model", "cpu", "Processor"):
        found = re.search(rf"(?m)^{key}\s*:\s*(.*\S)", text)
        if found:
            return f"{found[1]}{rest}"
    named = re.search(r"(?m)^Model name:\s*(.*\S)", output_of("lscpu"))
    return f"{named[1] if named else UNKNOWN}{rest}"


def allowed_cpus() -> int:
    return len(os.sched_getaffinity(0))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:NUMBER_OF_BYTES]


def compiler(path: Path) -> str:
    """As the binary says it: its .comment, else the first DW_AT_producer."""
    text = output_of("readelf", "-p", ".comment", path)
    found = re.findall(r"(?m)^\s*\[\s*[0-9a-f]+\]\s+(.*\S)", text)
    # Startup files bring their own compiler's line; a program's own compiler, where it is another, comes after it.
    names = list(dict.fromkeys(found))
    if not names:
        producer = re.search(
            r"DW_AT_producer\s*:\s*(?:\(.*?\):\s*)?(.*\S)",
            output_of("readelf", "--debug-dump=info", "--dwarf-depth=1", path),
        )
        names = [producer[1]] if producer else []
    return "; ".join(names) or UNKNOWN


def linked_runtime(path: Path) -> str:
    """The OpenMP runtime that the loader would take; empty where there is none to see."""
    for line in output_of("ldd", path).splitlines():
        found = re.search(r"=>\s*(/\S+)", line)
        if found and RUNTIME.search(found[1]):
            return found[1]
    return ""


def kind_of(runtime: str) -> str:
    found = RUNTIME.search(runtime)
    return f"lib{found[1]}" if found else ""


def runtime_version(path: str) -> str:
    """The file behind the name, and what tells its build: its compiler, else its build id."""
    if not path:
        return ""
    real = os.path.realpath(path)
    built_by = compiler(Path(real)).rsplit("; ", 1)[-1]
    if built_by != UNKNOWN:
        return f"{real}, built by {built_by}"
    found = re.search(r"Build ID: ([0-9a-f]+)", output_of("readelf", "-n", real))
    return f"{real}, build id {found[1][:NUMBER_OF_BYTES]}" if found else real
