"""Builds for other processors, and their tests under QEMU. docs/develop/processors.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from driver.entries import Entry
from driver.places import PYTHON, Places

HERE = Path(__file__).resolve().parent
PRESETS = ("aarch64", "aarch64-lse", "ppc64le")


def entries(places: Places) -> Iterator[Entry]:
    for preset in PRESETS:
        command = (PYTHON, str(HERE / "run.py"), preset)
        yield Entry(f"cross.{preset}", command, full=True, alone=True, timeout=900)
        yield Entry(f"cross.{preset}.everything", (*command, "--full"), full=True, alone=True, timeout=3600)
