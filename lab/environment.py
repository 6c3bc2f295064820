"""Environments for the programs that scripts and tests run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

# Variables that would change how a program runs: those of the OpenMP runtimes, of Muster, of the loader, and those that
# the tests' own programs read.
CLEARED = ("OMP_", "KMP_", "GOMP_", "MUSTER", "LD_", "TRAP_", "TORTURE_")


def without(prefixes: Iterable[str]) -> dict[str, str]:
    """This process's environment without the variables that begin with one of these prefixes."""
    cleared = tuple(prefixes)
    return {name: value for name, value in os.environ.items() if not name.startswith(cleared)}


def clean_environment(*more: str, keep: Iterable[str] = ()) -> dict[str, str]:
    """Without CLEARED and the prefixes in `more`; the variables named in `keep` stay."""
    kept = {name: os.environ[name] for name in keep if name in os.environ}
    return without((*CLEARED, *more)) | kept


def preload(*objects: str | Path | None) -> dict[str, str]:
    """LD_PRELOAD with these objects, in this order; nothing where all are None or empty."""
    names = [str(item) for item in objects if item]
    return {"LD_PRELOAD": ":".join(names)} if names else {}
