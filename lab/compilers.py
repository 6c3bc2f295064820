"""The compilers that tests use, and the errors of a build."""

from __future__ import annotations

import fcntl
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


def build_once(output: Path, commands: Sequence[Sequence[str | Path]], *sources: Path) -> Path:
    """Runs the commands, which make `output`, unless these very ones made it after the sources' last change.

    Other processes may want the same file at the same time: one of them builds it.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    stamp = output.with_name(output.name + ".command")
    text = "\n".join(" ".join(map(str, command)) for command in commands)

    def is_fresh() -> bool:
        if not (output.exists() and stamp.exists() and stamp.read_text() == text):
            return False
        return output.stat().st_mtime > max((source.stat().st_mtime for source in sources), default=0)

    if is_fresh():
        return output
    with output.with_name(output.name + ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_fresh():
            stamp.unlink(missing_ok=True)
            for command in commands:
                build(command)
            stamp.write_text(text)
    return output


def compile_old_runtime(folder: Path) -> Path:
    """The shared object that adds what libomp 14 and 16 lack; see old_runtime.c."""
    output = folder / "libold_runtime.so"
    command = [installed(CLANG[0]), "-O2", "-shared", "-fPIC", OLD_RUNTIME, "-o", output]
    return build_once(output, [command], OLD_RUNTIME)
