"""The OpenMP runtimes of build/runtimes: how a program is started on one, and which of their own failures are known."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

LIBGOMP = "libgomp.so.1"
OLD_RUNTIMES = ("libomp14", "libomp16")  # programs of today's clang need compilers.compile_old_runtime() on them

# Assertions by which released runtimes end a valid program now and then, also without Muster.
KNOWN_ASSERTIONS = (
    # libomp 14 and 16, where threads that have freed memory are gone; stock in about three of ten thousand random
    # programs.
    "Assertion failure at kmp_alloc.cpp",
    # libomp 14 to 19, as Debian builds them, with schedule(dynamic): a thread that looks for chunks reads a teammate's
    # bounds while that one writes them, and asserts what holds only after the comparison that follows has succeeded.
    # Stock in two of three runs of 20 s that do nothing but such loops, 12 threads on 2 CPUs.
    "vnew.p.ub * (UT)chunk <= trip",
)


def ended_by_known_assertion(stderr: str) -> bool:
    return any(text in stderr for text in KNOWN_ASSERTIONS)


def is_libgomp(runtime: Path) -> bool:
    return (runtime / LIBGOMP).exists()


def loader_command(runtime: Path) -> list[str]:
    """The words before the program: the loader of the C library that comes with the runtime, if one does."""
    loaders = sorted((runtime / "libc").glob("ld-linux*.so.*"))
    if not loaders:
        return []
    return [str(loaders[0]), "--library-path", f"{runtime / 'libc'}:{runtime}"]


@functools.cache
def _dump(file: Path) -> str:
    return subprocess.run(["objdump", "-p", str(file)], capture_output=True, text=True, check=True).stdout


@functools.cache
def _needs(binary: Path) -> frozenset[str]:
    """The versions of libgomp's interface that a binary needs."""
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
