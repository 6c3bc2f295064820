"""A wheel of this repository and a virtual environment that has it, made once for all tests."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab.environment import clean_environment  # noqa: E402

SOURCE = Path(os.environ["MUSTER_SOURCE_DIR"])
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


class NoBuildBackend(Exception):
    """scikit-build-core is neither installed nor to be had from a package index."""


@dataclass(frozen=True)
class Environment:
    wheel: Path
    root: Path  # of the virtual environment

    @property
    def python(self) -> Path:
        return self.root / "bin" / "python"

    @property
    def muster(self) -> Path:
        return self.root / "bin" / "muster"

    @property
    def packages(self) -> Path:
        (found,) = self.root.glob("lib/python3*/site-packages")
        return found

    def install(self, *options: str) -> None:
        command = [*PIP, "--python", str(self.python), "install", "--quiet", "--no-deps", "--no-index"]
        run([*command, *options, str(self.wheel)])


def run(command: list[str | Path], timeout: float = 120, **variables: str) -> subprocess.CompletedProcess[str]:
    done = start(command, **variables)
    stdout, stderr = done.communicate(timeout=timeout)
    result = subprocess.CompletedProcess(command, done.returncode, stdout, stderr)
    if result.returncode != 0:
        raise AssertionError(f"{command}: status {result.returncode}\n{stdout}\n{stderr}")
    return result


def start(command: list[str | Path], **variables: str) -> subprocess.Popen[str]:
    """Starts it with no variables of Muster, OpenMP, the loader or Python but `variables`."""
    return subprocess.Popen(
        command,
        env=clean_environment("PYTHON") | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def build_wheel(place: Path) -> Path:
    """Builds as `pip wheel .` does, but for speed without optimising."""
    command = [*PIP, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), str(SOURCE)]
    command += ["--config-settings", "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"]
    if importlib.util.find_spec("scikit_build_core") is not None:
        command.append("--no-build-isolation")
    try:
        run(command, timeout=900)  # half a minute of both CPUs of a small machine that is idle
    except AssertionError as failure:
        if "scikit-build-core" in str(failure) and "No matching distribution" in str(failure):
            raise NoBuildBackend("pip finds no scikit-build-core: there is no network, or no package index") from None
        raise
    (wheel,) = place.glob("*.whl")
    return wheel


def make(place: Path) -> Environment:
    wheel = build_wheel(place / "wheel")
    environment = Environment(wheel, place / "venv")
    # Without pip of its own: Debian has that in a package apart.
    run([sys.executable, "-m", "venv", "--without-pip", environment.root])
    environment.install()
    return environment
