"""What a seed determines apart from the program's text: how it is compiled and its environment."""

from __future__ import annotations

import random
from dataclasses import dataclass

from scope import Flavour

from lab.runtimes import OLD_RUNTIMES

RUNTIMES = ("libomp14", "libomp16", "libomp19", "libomp21", "libiomp5")
LIBGOMPS = ("libgomp12", "libgomp14")  # older ones lack what every source file of 25 programs calls
COMPILERS = ("clang", "clang", "clang", "gcc")
GNU = "gnu"  # only when asked for: gcc and libgomp
# `spin` is left out: teams have more threads than most machines of a test have CPUs.
WAITS = ("auto", "auto", "auto", "block", "2cs+", "yield", "50us")
BARRIERS = ("auto", "auto", "auto", "fetch-add", "dissemination-or-counter", "tree", "dist-sensor", "native")


@dataclass(frozen=True)
class Settings:
    seed: int
    flavour: Flavour
    runtime: str
    stock: dict[str, str]  # the environment of both runs
    muster: dict[str, str]  # what the preloaded run has in addition


def settings_of(seed: int, compilers: list[str], runtimes: list[str]) -> Settings:
    """The lists narrow the choice where they are not empty; nothing else depends on them."""
    chance = random.Random(f"settings {seed}")
    compiler = chance.choice(COMPILERS)
    if compilers and compiler not in compilers:
        compiler = compilers[seed % len(compilers)]
    runtime = chance.choice(RUNTIMES)
    if runtimes and runtime not in runtimes:
        runtime = runtimes[seed % len(runtimes)]
    if compiler == GNU and runtime not in LIBGOMPS:
        runtime = LIBGOMPS[seed % len(LIBGOMPS)]
    flavour = Flavour(compiler, cpp=chance.randrange(5) == 0, old=runtime in OLD_RUNTIMES)
    # Places and old runtimes: an assertion of theirs fails where a second thread opens regions.
    binding = ("", "", "", "", "", "false", "false" if flavour.old else "true")
    stock = {
        "OMP_NUM_THREADS": chance.choice(("2", "3", "4")),
        "OMP_DYNAMIC": "false",
        "OMP_MAX_ACTIVE_LEVELS": chance.choice(("", "", "1", "2")),
        "OMP_SCHEDULE": chance.choice(("", "", "static", "dynamic,2", "guided")),
        "OMP_PROC_BIND": chance.choice(binding),
        "OMP_WAIT_POLICY": chance.choice(("", "", "", "passive")),
        "KMP_BLOCKTIME": chance.choice(("", "", "", "0", "1")),
        "KMP_HOT_TEAMS_MAX_LEVEL": chance.choice(("", "", "", "", "", "2")),
    }
    if compiler == GNU and not stock["OMP_SCHEDULE"]:
        stock["OMP_SCHEDULE"] = "static"  # as in the other runtimes
    muster = {
        "MUSTER_FORKJOIN": chance.choice(("on", "on", "on", "on", "on", "auto")),
        "MUSTER_BARRIER": chance.choice(BARRIERS),
        "MUSTER_WAIT": chance.choice(WAITS),
    }
    return Settings(
        seed, flavour, runtime, {name: value for name, value in stock.items() if value}, muster
    )
