"""The rules of the code and of the documents; and what the documents show, run as it stands there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from check import CHECKS

from driver.entries import Entry
from driver.places import PYTHON, ROOT, Places

HERE = Path(__file__).resolve().parent


def entries(places: Places) -> Iterator[Entry]:
    tree = ("--root", str(ROOT), "--build", str(places.build))
    for check in CHECKS:
        yield Entry(f"house.{check}", (PYTHON, str(HERE / "check.py"), check, *tree))
    yield Entry("house.docs_commands", (PYTHON, str(HERE / "docs_commands.py"), *tree))
    yield Entry("house.demo_shown", (PYTHON, str(ROOT / "campaigns/demo_shown.py"), "--check"))
