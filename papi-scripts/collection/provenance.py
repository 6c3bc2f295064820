"""What a result depends on besides the setting: machine, kernel, compiler, runtime."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from lab import machine
from lab.machine import UNKNOWN, output_of

RUNTIME = re.compile(r"/lib(omp|iomp5|gomp)\b[^/]*$")


def processor() -> str:
    """Its model, and how many there are."""
    return f"{machine.processor()} ({platform.machine()}, {os.cpu_count() or UNKNOWN} CPUs)"


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
    """The file behind the name, and its compiler, else its build id."""
    if not path:
        return ""
    real = os.path.realpath(path)
    built_by = compiler(Path(real)).rsplit("; ", 1)[-1]
    if built_by != UNKNOWN:
        return f"{real}, built by {built_by}"
    found = re.search(r"Build ID: ([0-9a-f]+)", output_of("readelf", "-n", real))
    return f"{real}, build id {found[1][:machine.DIGITS]}" if found else real
