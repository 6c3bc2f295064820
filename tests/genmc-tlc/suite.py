"""The protocols under TLC, where java and a jar of it are there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from driver.entries import Entry
from driver.places import PYTHON, Places


def entries(places: Places) -> Iterator[Entry]:
    yield Entry("genmc-tlc.tlc", (PYTHON, str(Path(__file__).resolve().parent / "run.py")), full=True)
