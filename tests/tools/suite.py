"""Tools beside Muster. Only the fast ones: run.py without names takes minutes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from driver.entries import Entry
from driver.places import PYTHON, Places

HERE = Path(__file__).resolve().parent


def entries(places: Places) -> Iterator[Entry]:
    for tool in ("taskset", "stdbuf", "setarch", "jemalloc", "gdb"):
        yield Entry(f"tools.{tool}", (PYTHON, str(HERE / "run.py"), "--build", str(places.build), tool))
