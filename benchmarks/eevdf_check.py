#!/usr/bin/env python3
"""The simulated EEVDF scheduler beside the real one of this machine, in the same settings of a few threads on two CPUs.

Measures what the machine's parts take (a context switch, a wake-up, a system call), runs eevdf_probe in each setting, gives what it
has measured of the parts to eevdf_predict, and prints real against simulated. Nothing is fitted to a setting. Wants an idle
machine with two CPUs: where others use them, it stops with status 1; with --json it goes on from there.

    benchmarks/eevdf_check.py [--bin build/release/bin] [--seconds 2] [--rounds 1] [--only spin,sleep] [--json FILE]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

# Of a cache line from one CPU to the other, docs/barriers.md.
CROSSING_NS = 60

MOST_OTHERS = 0.04
TRIES = 2
SEEDS = 7


class Row(NamedTuple):
    """A figure of a setting: its name and where it is in the programs' answers."""

    name: str
    arguments: tuple[str, ...]
    path: tuple[str, ...]


def rows() -> list[Row]:
    out: list[Row] = []
    for threads in (2, 3, 4):
        setting = ("spin", str(threads))
        out.append(Row(f"{threads} spinners: least share of a CPU", setting, ("shares", "min")))
        out.append(Row(f"{threads} spinners: largest share", setting, ("shares", "max")))
        if threads > 2:
            out += [
                Row(f"{threads} spinners: run length, {at}, us", setting, ("runs", at)) for at in ("p10", "p50", "p90")
            ]
    for hogs in (1, 2):
        setting = ("yield", str(hogs))
        out.append(Row(f"sched_yield beside {hogs} on its CPU, mean us", setting, ("yields", "mean")))
        out.append(Row(f"sched_yield beside {hogs} on its CPU, 90 %, us", setting, ("yields", "p90")))
        out.append(Row(f"share of who yields beside {hogs}", setting, ("share",)))
    for hogs, slice_us in ((0, 0), (2, 0), (4, 0), (4, 100)):
        setting = ("sleep", str(hogs), str(slice_us))
        for at in ("p50", "p90", "p99"):
            asked = ", slice 0.1 ms" if slice_us else ""
            out.append(Row(f"late after 1 ms of sleep, {hogs} hogs{asked}, {at}, us", setting, ("late", at)))
    for hogs in (0, 1, 2, 4):
        for policy in ("spin", "block", "20us", "yield"):
            setting = ("barrier", str(hogs), "0", policy)
            out.append(Row(f"2 threads, {hogs} hogs, {policy}: iterations/s", setting, ("iterations_per_s",)))
    for policy in ("block", "20us", "yield"):
        setting = ("barrier", "2", "100", policy)
        out.append(Row(f"2 threads, 2 hogs, 100 us of work, {policy}: iterations/s", setting, ("iterations_per_s",)))
    return out


def run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"eevdf_check.py: {' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def busy_s() -> float:
    """What all CPUs have worked, by everybody."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split(maxsplit=5)[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def own_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class DisturbedError(Exception):
    pass


def run_alone(command: list[str]) -> dict[str, Any]:
    """The same, again where others used more than MOST_OTHERS of a CPU: they change everything here."""
    for _ in range(TRIES):
        others, began = busy_s() - own_s(), time.monotonic()
        answer = run(command)
        share = (busy_s() - own_s() - others) / (time.monotonic() - began)
        if share < MOST_OTHERS:
            return answer
        print(f"eevdf_check.py: {' '.join(command[1:])}: others used {share:.0%} of a CPU", file=sys.stderr, flush=True)
    raise DisturbedError(" ".join(command[1:]))


def value(answer: dict[str, Any], path: tuple[str, ...]) -> float:
    inner: Any = answer
    for key in path:
        if isinstance(inner, list):
            inner = {"min": min, "max": max}[key](inner)
        else:
            inner = inner[key]
    return float(inner)


def measure_machine(binaries: Path) -> dict[str, float]:
    """ns, of what eevdf_predict wants to know."""
    calibration = subprocess.run([binaries / "muster", "calibrate"], capture_output=True, text=True, check=True).stdout
    line = next(line for line in calibration.splitlines() if line.startswith("context switch"))
    switch = 1000 * float(line.removeprefix("context switch").split()[0])
    idle = run_alone([str(binaries / "eevdf_probe"), "wake", "1", "0"])
    busy = run_alone([str(binaries / "eevdf_probe"), "wake", "1", "1"])
    timer = run_alone([str(binaries / "eevdf_probe"), "timer", "1"])
    call = run_alone([str(binaries / "eevdf_probe"), "yield", "0.2", "0"])
    interrupt = max(0.0, 1000 * busy["wakes"]["p50"] - switch)
    return {
        "context-switch": switch,
        "interrupt-delay": interrupt,
        "idle-exit": max(0.0, 1000 * idle["wakes"]["p50"] - switch - interrupt),
        "call": 1000 * call["yields"]["p50"],
        "wake-call": 1000 * busy["calls"]["p50"],
        "local-wake-call": 4 * 1000 * call["yields"]["p50"],
        "timer-delay": 1000 * timer["late"]["p50"],
        "crossing": CROSSING_NS,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--seconds", type=float, default=2, help="of each setting")
    parser.add_argument("--rounds", type=int, default=1, help="medians of so many")
    parser.add_argument("--only", default="", help="settings: spin, yield, sleep, barrier, comma-separated")
    parser.add_argument("--json", type=Path, help="what was measured; what is there is not measured again")
    arguments = parser.parse_args()
    if os.sched_getaffinity(0) != {0, 1}:
        sys.exit("eevdf_check.py: needs a machine with the CPUs 0 and 1 and no others (or taskset -c 0,1 on its like)")
    wanted = set(filter(None, arguments.only.split(",")))
    settings = list(dict.fromkeys(row.arguments for row in rows() if not wanted or row.arguments[0] in wanted))
    kept: dict[str, Any] = {"machine_ns": {}, "real": {}}
    if arguments.json and arguments.json.exists():
        kept = json.loads(arguments.json.read_text())
    real: dict[str, list[dict[str, Any]]] = kept["real"]
    disturbed = False

    def keep() -> None:
        if arguments.json:
            arguments.json.write_text(json.dumps(kept, indent=1) + "\n")

    try:
        kept["machine_ns"] = kept["machine_ns"] or measure_machine(arguments.bin)
        for setting, _ in itertools.product(settings, range(arguments.rounds)):
            done = real.setdefault(" ".join(setting), [])
            if len(done) < arguments.rounds:
                command = [setting[0], str(arguments.seconds), *setting[1:]]
                done.append(run_alone([str(arguments.bin / "eevdf_probe"), *command]))
                keep()
    except DisturbedError as setting:
        print(f"eevdf_check.py: {setting}: others used the CPUs {TRIES} times", file=sys.stderr)
        disturbed = True
    if disturbed:
        return 1

    print("Machine, ns: " + ", ".join(f"{name} {ns:.0f}" for name, ns in kept["machine_ns"].items()))
    options = [f"--{name}={round(ns)}" for name, ns in kept["machine_ns"].items()]
    program = str(arguments.bin / "eevdf_predict")
    predictions = {
        setting: [
            run([program, *options, f"--seed={seed}", setting[0], str(arguments.seconds), *setting[1:]])
            for seed in range(1, SEEDS + 1)
        ]
        for setting in settings
    }
    print("| setting | real | least | most | simulated | least | most | ratio |\n|---|---|---|---|---|---|---|---|")
    for row in rows():
        if row.arguments not in predictions:
            continue
        measured = [value(one, row.path) for one in real[" ".join(row.arguments)]]
        predicted = [value(one, row.path) for one in predictions[row.arguments]]
        cells = [f"{of(values):.4g}" for values in (measured, predicted) for of in (statistics.median, min, max)]
        median = statistics.median(measured)
        ratio = f"{statistics.median(predicted) / median:.2f}" if median > 0 else "-"
        print(f"| {row.name} | {' | '.join(cells)} | {ratio} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
