"""The plan: rounds of every setting in random order, so that drift affects all settings alike."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.options import NoOptionsError, values_of

STOCK = "stock"  # nothing is preloaded
NATIVE = "native"  # preloaded, and every barrier goes to the runtime


class PlanError(Exception):
    """A line for the user."""


@dataclass(frozen=True)
class Setting:
    barrier: str
    wait: str
    threads: int

    @property
    def preloaded(self) -> bool:
        return self.barrier != STOCK

    def __str__(self) -> str:
        name = self.barrier if self.barrier == STOCK else f"{self.barrier}/{self.wait}"
        return f"{name}, {self.threads} threads"


def known_values(launcher: Path) -> dict[str, list[str]]:
    """Of MUSTER_BARRIER and MUSTER_WAIT, as this build has them; empty where its launcher is not there."""
    try:
        found = values_of(launcher)
    except NoOptionsError:
        return {}
    return {name: found[name] for name in ("MUSTER_BARRIER", "MUSTER_WAIT") if name in found}


def check_names(option: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        is_time = "<n>us" in known and re.fullmatch(r"[0-9]+us", name)
        if known and name not in known and not is_time:
            raise PlanError(f"{option} {name}: no value of this build's, which are {', '.join(known)}")
    if len(set(names)) != len(names):
        raise PlanError(f"{option} {','.join(names)}: one of them is there twice")


def settings(barriers: Sequence[str], waits: Sequence[str], threads: Sequence[int], stock: bool) -> list[Setting]:
    found = [Setting(STOCK, STOCK, size) for size in threads] if stock else []
    for size in threads:
        for barrier in barriers:
            # The runtime's own barriers wait in the runtime's own way.
            for wait in waits if barrier != NATIVE else waits[:1]:
                found.append(Setting(barrier, wait, size))
    return found


def rounds(chosen: Sequence[Setting], repetitions: int) -> list[tuple[int, Setting]]:
    """The same for the same settings, however often a collection is continued."""
    order = []
    for repetition in range(1, repetitions + 1):
        shuffled = list(chosen)
        random.Random(repetition).shuffle(shuffled)
        order += [(repetition, setting) for setting in shuffled]
    return order
