"""Random OpenMP programs, stock against preloaded: always the same ones. Not in the gate: stock fails some now and then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from driver.entries import Entry
from driver.places import PYTHON, ROOT, Places

RUN = str(Path(__file__).resolve().parent / "run.py")
A_SHARE = 100  # programs
SHARES = {"libomp": 12, "libgomp": 2}


def entries(places: Places) -> Iterator[Entry]:
    checked = places.build / "lib/libmuster_checked.so"
    command = (PYTHON, RUN, "--library", str(checked), "--runtimes", str(ROOT / "build/runtimes"))
    for family, shares in SHARES.items():
        compiler = ("--compiler", "gnu") if family == "libgomp" else ()
        for share in range(shares):
            drawn = ("--seed", str(1 + A_SHARE * share), "--programs", str(A_SHARE))
            yield Entry(f"random-programs.{family}.{share}", (*command, *drawn, *compiler), full=True, timeout=1800)
    yield Entry("random-programs.mutants", (*command, "--programs", "200", "--mutants"), full=True, timeout=1800)
