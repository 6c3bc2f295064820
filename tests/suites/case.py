"""One test of a suite: a shell script that compiles and runs it, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# What a case's script puts before a program that is to be preloaded. In stock runs it does nothing.
RUN = "muster_run"
# Before a compiler: what was compiled for one setting is used for the next.
ONCE = "once"


@dataclass(frozen=True)
class Case:
    name: str  # its path in the suite
    script: str
    must_fail: bool = False  # a program that has to end with another status than 0


@dataclass(frozen=True)
class Suite:
    """A suite: how to get it, its cases, and in how many of them Muster can take part."""

    name: str
    find: Callable[[Path], list[Case]]
    runtime: str  # libomp or libgomp: whose programs these are
    # Of the cases that pass preloaded: those in whose runs barriers were replaced or regions folded, where all regions
    # are folded that can be (setting `on`). With fewer, the preload got lost.
    least_share: float
    # The same with any setting: those that left a report, as each does that meets a barrier or a region.
    least_reports: float
    fetch: Callable[[Path], Path] | None = None  # into a folder; None: the user gives it
    where: str = ""  # for a user who has to give it
    timeout: float = 60.0
