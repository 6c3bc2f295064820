#!/usr/bin/env python3
"""The simulated EEVDF scheduler beside the real one of this machine, in the same settings of a few threads on two CPUs.

Measures what the machine's parts take (a context switch, a wake-up, a system call), runs eevdf_probe in each setting,
passes the measured costs to eevdf_predict, and prints real against simulated (docs/results/simulators.md). Nothing
is fitted to a setting. Needs an idle machine with two CPUs: where other processes use them, it stops with status 1;
with --json the next run continues there.

    campaigns/eevdf_check.py [--bin build/release/bin] [--seconds 2] [--rounds 7] [--only spin,sleep] [--json FILE]

Takes 5 minutes, and 2 more for the simulation.
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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab import results  # noqa: E402
from lab.tables import markdown  # noqa: E402

# Of a cache line from one CPU to the other, docs/results/barriers.md.
CROSSING_NS = 60

MOST_OTHERS = 0.04
TRIES = 3
SEEDS = 21


Setting = tuple[str, ...]


class Row(NamedTuple):
    """Figures of a setting: their name, where they are in the programs' answers, and how they are written."""

    name: str
    setting: Setting
    paths: tuple[tuple[str, ...], ...]
    divisor: float = 1
    digits: int = 0


def rows() -> list[Row]:
    out: list[Row] = []
    for threads in (2, 3, 4):
        setting: Setting = ("spin", str(threads))
        out.append(
            Row(
                f"{threads} spinners: least and largest share of a CPU",
                setting,
                (("shares", "min"), ("shares", "max")),
                1,
                2,
            )
        )
        if threads > 2:
            lengths = (("runs", "p10"), ("runs", "p50"), ("runs", "p90"))
            out.append(Row(f"{threads} spinners: run length, 10 %, median, 90 %, ms", setting, lengths, 1000, 2))
    for hogs, name in (("1", "1 hog"), ("2", "2 hogs")):
        out.append(
            Row(f"`sched_yield` beside {name} on its CPU, mean, ms", ("yield", hogs), (("yields", "mean"),), 1000, 2)
        )
    sleeps: list[tuple[Setting, str]] = [
        (("sleep", "0", "0"), "idle"),
        (("sleep", "2", "0"), "beside 2 hogs"),
        (("sleep", "4", "0"), "beside 4 hogs"),
        (("sleep", "4", "100"), "beside 4 hogs with a slice of 0.1 ms"),
    ]
    for setting, name in sleeps:
        out.append(
            Row(f"late after 1 ms of sleep, {name}: median, 99 %, us", setting, (("late", "p50"), ("late", "p99")))
        )
    return out


POLICIES = {"spin": "spin", "yield": "yield", "20us": "spin 20 us, then block", "block": "block"}


def barriers() -> list[Setting]:
    out: list[Setting] = [("barrier", hogs, "0", policy) for hogs in ("0", "1", "2", "4") for policy in POLICIES]
    return out + [("barrier", "2", "100", policy) for policy in ("20us", "block", "yield")]


def command_of(setting: Setting, seconds: float, seed: int) -> list[str]:
    """Of the probe. Of barriers half as long: they are many."""
    kind, *rest = setting
    if kind == "barrier":
        return [kind, str(seconds / 2), *rest, str(seed)]
    return [kind, str(seconds), *rest]


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
    """The costs that eevdf_predict needs, in ns."""
    calibration = subprocess.run([binaries / "muster", "calibrate"], capture_output=True, text=True, check=True).stdout
    line = next(line for line in calibration.splitlines() if line.startswith("context switch"))
    switch = 1000 * float(line.removeprefix("context switch").split()[0])
    idle = run_alone([str(binaries / "eevdf_probe"), "wake", "1", "0", "300"])
    busy = run_alone([str(binaries / "eevdf_probe"), "wake", "1", "1", "300"])
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


def number(value: float) -> str:
    """A rate, with two or three digits."""
    if value >= 999_500:
        return f"{value / 1e6:.2f} M"
    if value >= 1000:
        return f"{value / 1000:.{0 if value >= 1e5 else 1}f} k"
    return f"{value:.0f}"


def spread_text(values: list[float]) -> str:
    return f"{number(statistics.median(values))} ({number(min(values))} to {number(max(values))})"


def figures(row: Row, answers: list[dict[str, Any]]) -> str:
    """Medians, and how far the largest goes if that is far."""
    out = []
    for path in row.paths:
        values = [value(answer, path) / row.divisor for answer in answers]
        median = statistics.median(values)
        far = f" (to {max(values):,.{row.digits}f})" if max(values) > 2 * median else ""
        out.append(f"{median:,.{row.digits}f}{far}")
    return ", ".join(out)


def parts_text(ns: dict[str, float]) -> str:
    us = {name: value / 1000 for name, value in ns.items()}
    return (
        f"context switch {us['context-switch']:.2f} us, interrupt of the other CPU {us['interrupt-delay']:.1f} us, "
        f"{us['idle-exit']:.1f} us more if it sleeps, futex wake {us['wake-call']:.1f} us for its caller, "
        f"timer {us['timer-delay']:.1f} us late, system call {us['call']:.2f} us"
    )


Answers = dict[Setting, list[dict[str, Any]]]


HeadAndRows = tuple[list[str], list[list[str]]]


def tables_of(settings: list[Setting], real: Answers, simulated: Answers) -> Iterator[HeadAndRows]:
    chosen = [row for row in rows() if row.setting in settings]
    if chosen:
        shown = [[row.name, figures(row, real[row.setting]), figures(row, simulated[row.setting])] for row in chosen]
        yield ["setting", "real", "simulated"], shown
    if not any(setting in settings for setting in barriers()):
        return
    head = ["hogs, work", "policy", "real: median (least to most)", "simulated: the same"]
    shown, last = [], ""
    for setting in barriers():
        _, hogs, work, policy = setting
        group = f"{hogs}, {work + ' us' if work != '0' else 'none'}"
        rates = [spread_text([value(one, ("iterations_per_s",)) for one in of[setting]]) for of in (real, simulated)]
        shown.append([group if group != last else "", POLICIES[policy], *rates])
        last = group
    yield head, shown


def simulate(program: Path, ns: dict[str, float], settings: list[Setting], seconds: float) -> Answers:
    options = [f"--{name}={round(value)}" for name, value in ns.items()]

    def one(setting: Setting, seed: int) -> dict[str, Any]:
        kind, duration, *rest = command_of(setting, seconds, seed)
        rest = rest[:-1] if kind == "barrier" else rest
        return run([str(program), *options, f"--seed={seed}", kind, duration, *rest])

    with ThreadPoolExecutor(2) as pool:
        asked = {setting: [pool.submit(one, setting, seed) for seed in range(1, SEEDS + 1)] for setting in settings}
        return {setting: [answer.result() for answer in answers] for setting, answers in asked.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--seconds", type=float, default=2, help="of each setting; of barriers half of it")
    parser.add_argument("--rounds", type=int, default=7, help="of each setting; of barriers each from other starts")
    parser.add_argument("--only", default="", help="settings: spin, yield, sleep, barrier, comma-separated")
    parser.add_argument("--json", type=Path, help="the result; runs that are in the file are not measured again")
    arguments = parser.parse_args()
    if os.sched_getaffinity(0) != {0, 1}:
        sys.exit("eevdf_check.py: needs a machine with the CPUs 0 and 1 and no others (or taskset -c 0,1 on its like)")
    for program in ("muster", "eevdf_probe", "eevdf_predict"):
        if not (arguments.bin / program).exists():
            sys.exit(f"eevdf_check.py: {arguments.bin / program}: is not there (build it, or say where: --bin)")
    wanted = set(filter(None, arguments.only.split(",")))
    known = {"spin", "yield", "sleep", "barrier"}
    if not wanted <= known:
        sys.exit(f"eevdf_check.py: --only {arguments.only}: must be of {', '.join(sorted(known))}")
    every = [*dict.fromkeys(row.setting for row in rows()), *barriers()]
    settings = [setting for setting in every if not wanted or setting[0] in wanted]
    kept: dict[str, Any] = {"machine_ns": {}, "real": {}}
    if arguments.json and arguments.json.exists():
        kept = results.read(arguments.json).raw
    real: Answers = {setting: kept["real"].setdefault(" ".join(setting), []) for setting in settings}

    def keep(*found: results.Table) -> None:
        if arguments.json:
            results.leave(arguments.json, "The simulated EEVDF scheduler against the kernel", found, raw=kept)

    try:
        kept["machine_ns"] = kept["machine_ns"] or measure_machine(arguments.bin)
        keep()
        for seed, setting in itertools.product(range(1, arguments.rounds + 1), settings):
            if len(real[setting]) < seed:
                if setting == settings[0]:
                    print(f"eevdf_check.py: round {seed} of {arguments.rounds}", file=sys.stderr, flush=True)
                command = command_of(setting, arguments.seconds, seed)
                real[setting].append(run_alone([str(arguments.bin / "eevdf_probe"), *command]))
                keep()
    except DisturbedError as setting:
        print(f"eevdf_check.py: {setting}: others used the CPUs {TRIES} times", file=sys.stderr)
        return 1

    real = {setting: answers[: arguments.rounds] for setting, answers in real.items()}
    simulated = simulate(arguments.bin / "eevdf_predict", kept["machine_ns"], settings, arguments.seconds)
    parts = parts_text(kept["machine_ns"])
    print(f"{parts}\n")
    tables = list(tables_of(settings, real, simulated))
    print("\n\n".join(markdown(head, shown, len(head)) for head, shown in tables))
    keep(*(results.table_of_words(head, shown, "", [parts]) for head, shown in tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
