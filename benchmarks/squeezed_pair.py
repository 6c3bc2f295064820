#!/usr/bin/env python3
"""How a pair of threads recovers from having been on one CPU, stock and with Muster.

Both threads of the BARRIER program are bound to one CPU for 0.1 s, then may use two again. What is printed is the rate in
the second that begins 0.15 s later: medians of interleaved runs.

    benchmarks/squeezed_pair.py [--bin build/release/bin] [--rounds 5]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import statistics
import subprocess
import time
from pathlib import Path

SETTINGS = {
    "stock": {},
    "auto": {"MUSTER_WAIT": "auto"},
    "auto, MUSTER_PLACE=off": {"MUSTER_WAIT": "auto", "MUSTER_PLACE": "off"},
    "2cs+": {"MUSTER_WAIT": "2cs+"},
    "block": {"MUSTER_WAIT": "block"},
}
CLEARED = ("OMP_", "KMP_", "MUSTER", "LD_PRELOAD")


def bind(process: int, cpus: set[int]) -> None:
    for thread in os.listdir(f"/proc/{process}/task"):
        with contextlib.suppress(OSError):  # it may have ended
            os.sched_setaffinity(int(thread), cpus)


def rate(binaries: Path, setting: dict[str, str], cpus: list[int]) -> float:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(CLEARED)}
    environment |= setting
    if setting:
        environment["LD_PRELOAD"] = str(binaries.parent / "lib" / "libmuster.so")
    command = [binaries / "barrier", "--threads", "2", "--seconds", "1", "--margin", "0.4"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as run:
        time.sleep(0.15)
        bind(run.pid, {cpus[0]})
        time.sleep(0.1)
        bind(run.pid, set(cpus))
        text, _ = run.communicate()
    return float(text.split()[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        print("squeezed_pair: one CPU: there is nothing to recover to")
        return 1
    rates: dict[str, list[float]] = {name: [] for name in SETTINGS}
    for _ in range(arguments.rounds):
        for name in random.sample(list(SETTINGS), len(SETTINGS)):
            rates[name].append(rate(arguments.bin.resolve(), SETTINGS[name], cpus))
    for name, values in rates.items():
        print(f"{name:24} median {statistics.median(values):12,.0f} least {min(values):12,.0f} iterations/s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
