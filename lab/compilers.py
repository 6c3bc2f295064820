"""The compilers that tests use, and the errors of a build."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

# C and C++; of each the first that is installed.
CLANG = (("clang-19", "clang"), ("clang++-19", "clang++"))
GCC = (("gcc-12", "gcc"), ("g++-12", "g++"))
OLD_RUNTIME = Path(__file__).resolve().parents[1] / "tests" / "runtimes" / "old_runtime.c"


class BuildError(Exception):
    """What could not be compiled, with the compiler's words."""


def installed(names: Sequence[str]) -> str:
    for name in names:
        if path := shutil.which(name):
            return path
    raise BuildError(f"{names[0]} is not installed")


def build(command: Sequence[str | Path]) -> str:
    """Runs a compiler, and returns what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(words)}\n{done.stderr[:3000]}")
    return done.stdout


def compile_old_runtime(folder: Path) -> Path:
    """The shared object that adds what libomp 14 and 16 lack; see old_runtime.c."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / "libold_runtime.so"
    if not output.exists() or output.stat().st_mtime < OLD_RUNTIME.stat().st_mtime:
        build([installed(CLANG[0]), "-O2", "-shared", "-fPIC", OLD_RUNTIME, "-o", output])
    return output
