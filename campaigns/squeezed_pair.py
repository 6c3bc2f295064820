#!/usr/bin/env python3
"""How fast a pair of threads recovers after both were bound to one CPU, stock and with Muster.

Both threads of the BARRIER program are bound to one CPU for 0.1 s, then may use two again. Prints the rate in the
second that begins 0.15 s later: medians of interleaved runs.

    campaigns/squeezed_pair.py [--bin build/release/bin] [--rounds 5]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import results  # noqa: E402
from lab.bench import Bench  # noqa: E402
from lab.statistics import interleave, spread  # noqa: E402

SETTINGS: dict[str, dict[str, str]] = {
    "stock": {},
    "auto": {"MUSTER_WAIT": "auto"},
    "auto, MUSTER_PLACE=off": {"MUSTER_WAIT": "auto", "MUSTER_PLACE": "off"},
    "2cs+": {"MUSTER_WAIT": "2cs+"},
    "block": {"MUSTER_WAIT": "block"},
}


def bind(process: int, cpus: set[int]) -> None:
    for thread in os.listdir(f"/proc/{process}/task"):
        with contextlib.suppress(OSError):  # it may have ended
            os.sched_setaffinity(int(thread), cpus)


def rate(bench: Bench, setting: dict[str, str], cpus: list[int]) -> float:
    with bench.start(
        "barrier", ["--threads", "2", "--seconds", "1", "--margin", "0.4"], bool(setting), **setting
    ) as run:
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
    results.add_option(parser)
    arguments = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        print("squeezed_pair: one CPU: there is nothing to recover to")
        return 1
    bench = Bench(arguments.bin.parent, ("barrier",))
    rates = interleave(arguments.rounds, list(SETTINGS), lambda name: rate(bench, SETTINGS[name], cpus))
    rows = []
    for name, values in rates.items():
        if found := spread(values):
            print(f"{name:24} median {found.median:12,.0f} least {found.low:12,.0f} iterations/s")
            rows.append([name, f"{found.median:,.0f}", f"{found.low:,.0f}"])
    if arguments.json:
        table = results.table_of_words(["setting", "median", "least"], rows, "", ["Iterations/s."])
        results.leave(arguments.json, "A pair of threads after both were bound to one CPU", [table])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
