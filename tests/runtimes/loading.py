"""How a program is started on a runtime of build/runtimes, and whether it can run there."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

LIBGOMP = "libgomp.so.1"


def is_libgomp(runtime: Path) -> bool:
    return (runtime / LIBGOMP).exists()


def loader_command(runtime: Path) -> list[str]:
    """What comes before the program: the loader of the C library that the runtime brings with it, if it does."""
    loaders = sorted((runtime / "libc").glob("ld-linux*.so.*"))
    if not loaders:
        return []
    return [str(loaders[0]), "--library-path", f"{runtime / 'libc'}:{runtime}"]


@functools.cache
def _dump(file: Path) -> str:
    return subprocess.run(["objdump", "-p", str(file)], capture_output=True, text=True, check=True).stdout


@functools.cache
def _needs(binary: Path) -> frozenset[str]:
    """The versions of libgomp's interface that a binary asks for."""
    _, _, references = _dump(binary).partition("Version References:")
    needed, library = set(), ""
    for line in references.splitlines():
        if match := re.match(r"\s+required from (\S+):", line):
            library = match[1]
        elif (words := line.split()) and library == LIBGOMP:
            needed.add(words[-1])
    return frozenset(needed)


@functools.cache
def _defines(library: Path) -> frozenset[str]:
    _, _, definitions = _dump(library).partition("Version definitions:")
    definitions, _, _ = definitions.partition("Version References:")
    return frozenset(line.split()[-1] for line in definitions.splitlines() if line.strip())


def lacks_versions(binary: Path, runtime: Path) -> bool:
    """Whether the loader would refuse the program, since this libgomp is older than what it was compiled for."""
    return is_libgomp(runtime) and not _needs(binary) <= _defines(runtime / LIBGOMP)
