"""Where the wheel `muster-omp` has put the library and the `muster` command.

Importing this changes nothing: a process must be started with the library preloaded, by `muster run -- python ...`,
by `python -m muster_omp run -- python ...` or by LD_PRELOAD.
"""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

__all__ = ["launcher_path", "library_path"]

_DISTRIBUTION = "muster-omp"
_HERE = Path(__file__).resolve().parent


def library_path() -> Path:
    """libmuster.so, for LD_PRELOAD."""
    return _must_exist(_HERE / "lib" / "libmuster.so")


def launcher_path() -> Path:
    """The `muster` command."""
    for candidate in _launcher_candidates():
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f"{_DISTRIBUTION}: no `muster` command beside {_HERE}; install the wheel again")


def _launcher_candidates() -> list[Path]:
    """Where pip says that it is; then beside the package, as `pip install --target` has it."""
    try:
        files = importlib.metadata.distribution(_DISTRIBUTION).files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    recorded = [Path(str(file.locate())).resolve() for file in files if file.name == "muster"]
    return [*recorded, _HERE.parent / "bin" / "muster"]


def _must_exist(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(f"{_DISTRIBUTION}: {path} is missing; install the wheel again")
    return path
