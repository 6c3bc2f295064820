#!/usr/bin/env python3
"""The experiments of Peter et al. on 16 simulated processors: `papi-scripts/gang_simulated.py [--only NAME]`.

Runs sim/smp/runs/gang-*.toml over what the paper varies, in gang slices and under two schedulers without,
and prints the tables of docs/results/peter.md as Markdown. Runs are kept by lab/campaign.py, so an interrupted
campaign continues. The claims P1 to P5 are judged by the same runs (claims/peter.py).
"""

from __future__ import annotations

import argparse
import csv
import itertools
import signal
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab.campaign import Campaign, CampaignError, Run, add_options, positive  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import Table, add_option, leave, table_of_words  # noqa: E402

RUNS = Path(__file__).resolve().parent.parent / "sim" / "smp" / "runs"
PROCESSORS = 16
SEEDS = 9
STREAM_SEEDS = 4  # each has many updates
# Without gangs: the paper's slices, and today's kernel.
PLAIN = {"round robin": "-plain", "EEVDF": "-eevdf"}
TURNS = ""
# 5 us stand for an interval of 0: a simulated barrier takes no time.
LEAST_US = 5
INTERVALS_US = (LEAST_US, 10, 40, 100, 400, 2000, 15000)
VARIANCES_US = (0, 40, 200, 1000, 5000)
# An update takes a team of 8 alone 2.78 s as published and 1.31 s balanced; four such teams on 16 processors are at
# their capacity at 0.18 and 0.38 bursts a second. What comes beyond is not burstiness but a queue without end.
BURSTS_PER_S = (0.02, 0.05, 0.1, 0.15, 0.2, 0.33)
BURST_SIZES = (1, 2, 4)
SIZED_PER_S = 0.2  # updates of each stream, whatever a burst's size
# What the waiting in their streams is taken for: unbalanced work, or nothing that the work makes.
WORKS = {"as published": 62_000, "balanced": 0}
MOST_BURSTS_PER_S = {"as published": 0.15, "balanced": 0.33}  # below the capacity
LONG_SPIN = '"4000000"'
HIGH = {"job.1.nice": "-10"}
HIGHEST = {"job.1.nice": "-20"}
BOTH_LONG = {"wait.policy": LONG_SPIN}
# Of Figure 3: what is set; None is where the kernel's scheduler goes.
PRIORITIES: dict[str, tuple[str | None, dict[str, str]]] = {
    "Identical": (None, {}),
    "High": (None, HIGH),
    "High 4ms": (None, HIGH | BOTH_LONG),
    "Gang": (TURNS, {}),
    "GangHi": (TURNS, {"scheduler.weights": "[1,2]"}),
    "High, nice -20": (None, HIGHEST),
    "High 4ms, nice -20": (None, HIGHEST | BOTH_LONG),
    "High 4ms, App2 only": (None, HIGH | {"job.1.policy": LONG_SPIN}),
}
# The schedulers of Linux that heed priorities: the paper's, what is open about it, and today's.
KERNELS: dict[str, tuple[str, dict[str, str]]] = {
    "CFS": ("-cfs", {}),
    "CFS, woken threads go to idle processors": ("-cfs", {"scheduler.wake_to_idle": "true"}),
    "CFS, no credit for sleepers": ("-cfs", {"scheduler.sleeper_credit": "false"}),
    "CFS, ticks of 1 ms": ("-cfs", {"scheduler.tick": "1000000"}),
    "EEVDF": ("-eevdf", {}),
}
# Of the streams, beside their usual arms: how gang slices are given.
TURNS_OTHERWISE: dict[str, dict[str, str]] = {
    "what is idle stays idle": {"scheduler.fill": "false"},
    "one stream at a time": {"scheduler.pack": "false", "scheduler.fill": "false"},
    "one at a time, filled": {"scheduler.pack": "false"},
    "slices of 25 ms": {"scheduler.slice": "25000000"},
}
Row = dict[str, str]
Rates = tuple[float, float]  # iterations a second, of App1 and App2


@dataclass(frozen=True)
class Latency:
    """Of the updates of all streams, in seconds."""

    updates: int
    mean: float
    p10: float
    median: float
    p90: float

    @property
    def spread(self) -> float:
        return self.p90 - self.p10


def rates_of(rows: Iterable[Row]) -> list[Rates]:
    """By seed, of two programs that pass barriers until the first has passed all of its own."""
    by_seed: dict[str, dict[str, float]] = {}
    for row in rows:
        passed = float(row["barriers"]) / float(row["threads"])
        by_seed.setdefault(row["seed"], {})[row["group"]] = passed / (float(row["elapsed"]) * 1e-9)
    return [(one["App1"], one["App2"]) for one in by_seed.values()]


def median_gain(turns: Sequence[Rates], plain: Sequence[Rates]) -> Rates:
    """How many times what they have without gangs; seeds are compared in pairs."""
    if any(0.0 in rates for rates in plain):
        raise CampaignError("gang_simulated: without gangs a program passed no barrier, so there is no ratio")
    first, second = ([t[app] / p[app] for t, p in zip(turns, plain, strict=True)] for app in (0, 1))
    return statistics.median(first), statistics.median(second)


def latency_of(rows: Iterable[Row]) -> Latency:
    """The mean of all updates; of the percentiles of each seed the median. A seed may have no burst at all."""
    found = [row for row in rows if int(row["updates_over"]) > 0]
    if not found:
        raise CampaignError("gang_simulated: no seed has any update; more --seeds")
    counts = [int(row["updates_over"]) for row in found]

    def middle(column: str) -> float:
        return 1e-9 * statistics.median(float(row[column]) for row in found)

    total = sum(count * float(row["latency_mean"]) for count, row in zip(counts, found, strict=True))
    mean = 1e-9 * total / sum(counts)
    return Latency(sum(counts), mean, middle("latency_p10"), middle("latency_median"), middle("latency_p90"))


class Simulation:
    """Makes the runs."""

    def __init__(self, campaign: Campaign, seeds: int | None = None) -> None:
        self.campaign = campaign
        self.seeds = seeds

    def run(self, name: str, settings: dict[str, str], seeds: int, weight: float = 1.0) -> Run:
        words: list[str | Path] = [RUNS / f"{name}.toml", "--csv", "--seeds", str(self.seeds or seeds)]
        for key, value in settings.items():
            words += ["--set", f"{key}={value}"]
        return Run("smp", tuple(words), weight=weight)

    def barriers(self, runs: Sequence[tuple[str, dict[str, str]]]) -> list[list[Rates]]:
        made = [self.run(f"gang-barrier{kind}", settings, SEEDS) for kind, settings in runs]
        return [rates_of(rows) for rows in self.campaign.rows(made)]

    def gains(
        self, settings_of: Callable[[int], dict[str, str]], xs: Sequence[int], plain: str, **turns: str
    ) -> list[Rates]:
        """Of App1 and App2, at each x."""
        wanted = [(TURNS, settings_of(x) | {f"scheduler.{key}": value for key, value in turns.items()}) for x in xs]
        found = self.barriers([*wanted, *((PLAIN[plain], settings_of(x)) for x in xs)])
        return [median_gain(a, b) for a, b in zip(found[: len(xs)], found[len(xs) :], strict=True)]

    def interval(self, plain: str) -> dict[int, Rates]:
        return dict(zip(INTERVALS_US, self.gains(interval_settings, INTERVALS_US, plain), strict=True))

    def variance(self, plain: str, **turns: str) -> dict[int, Rates]:
        return dict(zip(VARIANCES_US, self.gains(variance_settings, VARIANCES_US, plain, **turns), strict=True))

    def priorities(self, kernel: str) -> dict[str, list[Rates]]:
        """By arm, of each seed."""
        file, more = KERNELS[kernel]
        runs = [(file, more | own) if kind is None else (kind, own) for kind, own in PRIORITIES.values()]
        return dict(zip(PRIORITIES, self.barriers(runs), strict=True))

    def batch(self) -> float:
        """How many percent more two programs pass one after the other than in gang slices."""
        # The other one comes when the first has ended, and the run with it.
        alone, turns = self.barriers([(TURNS, {"job.1.arrives": "2000000000"}), (TURNS, {})])
        return statistics.median(100 * (one[0] / sum(both) - 1) for one, both in zip(alone, turns, strict=True))

    def streams(self, wanted: Sequence[tuple[str, dict[str, str], float]]) -> list[Latency]:
        """By kind of run file, settings and bursts a second."""
        runs = []
        for kind, settings, bursts in wanted:
            more = {"job.0.gap": str(round(1e9 / bursts))} | settings
            runs.append(self.run(f"gang-streams{kind}", more, STREAM_SEEDS, weight=100 * bursts))
        return [latency_of(rows) for rows in self.campaign.rows(runs)]


def interval_settings(us: int) -> dict[str, str]:
    return {"job.0.mean": str(1000 * us)}


def variance_settings(us: int) -> dict[str, str]:
    """Of a, BARRIER draws from a normal distribution in [0, a]."""
    return {"job.0.mean": str(1000 * LEAST_US + 500 * us), "job.0.deviation": f"{1000 * us / 6:.0f}"}


def stream_arms(work: str) -> dict[str, tuple[str, dict[str, str]]]:
    settings = {"job.0.deviation": str(WORKS[work])}
    return {name: (kind, settings) for name, kind in (*PLAIN.items(), ("gang", TURNS))}


Line = tuple[str, ...]


def gain_lines(head: str, rows: dict[str, dict[int, float]]) -> Iterator[Line]:
    xs = list(next(iter(rows.values())))
    yield (head, *(f"{x:,}" for x in xs))
    for name, gains in rows.items():
        yield (name, *(f"{gains[x]:.1f}" for x in xs))


def of_app(found: dict[int, Rates], app: int) -> dict[int, float]:
    return {x: rates[app] for x, rates in found.items()}


def interval_table(simulation: Simulation) -> Iterator[Line]:
    found = {plain: simulation.interval(plain) for plain in PLAIN}
    rows = {f"App1, {plain}": of_app(gains, 0) for plain, gains in found.items()}
    rows |= {f"App2 (interval {LEAST_US} us), {plain}": of_app(gains, 1) for plain, gains in found.items()}
    return gain_lines("interval of App1, us", rows)


def variance_table(simulation: Simulation) -> Iterator[Line]:
    rows = {f"App1, {plain}": of_app(simulation.variance(plain), 0) for plain in PLAIN}
    filled = {f"App1, {plain}, gang, filled": of_app(simulation.variance(plain, fill="true"), 0) for plain in PLAIN}
    return gain_lines(f"variance of App1, us, at an interval of {LEAST_US}", rows | filled)


def priority_table(simulation: Simulation) -> Iterator[Line]:
    yield "Figure 3, iterations/s of App1 and App2", *KERNELS
    found = [simulation.priorities(kernel) for kernel in KERNELS]
    for arm in PRIORITIES:
        cells = []
        for rates in (by_arm[arm] for by_arm in found):
            first, second = (sorted(one[app] for one in rates) for app in (0, 1))
            least, middle, most = second[0], statistics.median(second), second[-1]
            cells.append(f"{statistics.median(first):,.0f}, {middle:,.0f} ({least:,.0f} to {most:,.0f})")
        yield arm, *cells


def batch_table(simulation: Simulation) -> Iterator[Line]:
    yield "two programs one after the other, over gang slices", "%"
    yield f"interval of {LEAST_US} us", f"{simulation.batch():+.3f}"


def latency_lines(head: str, rows: dict[str, list[Latency]], xs: Sequence[float]) -> Iterator[Line]:
    yield (head, *(f"{x:g}" for x in xs))
    for name, found in rows.items():
        yield (name, *(f"{one.mean:.1f} ({one.p10:.1f} to {one.p90:.1f})" for one in found))


def by_row(
    simulation: Simulation, rows: dict[str, tuple[str, dict[str, str]]], xs: Sequence[float]
) -> dict[str, list[Latency]]:
    """All at once, for the runs to be side by side."""
    found = iter(simulation.streams([(kind, settings, x) for kind, settings in rows.values() for x in xs]))
    return {name: list(itertools.islice(found, len(xs))) for name in rows}


STREAM_HEAD = "bursts a second, of each stream; s"


def stream_table(simulation: Simulation) -> Iterator[Line]:
    rows = {f"{work}, {arm}": how for work in WORKS for arm, how in stream_arms(work).items()}
    return latency_lines(STREAM_HEAD, by_row(simulation, rows, BURSTS_PER_S), BURSTS_PER_S)


def size_table(simulation: Simulation) -> Iterator[Line]:
    """The other way for streams to be bursty: with as many updates in all, more of them come at once."""
    rows = {f"{work}, {arm}": how for work in WORKS for arm, how in stream_arms(work).items()}
    wanted = [
        (kind, settings | {"job.0.burst": str(updates)}, SIZED_PER_S / updates)
        for kind, settings in rows.values()
        for updates in BURST_SIZES
    ]
    found = iter(simulation.streams(wanted))
    by_size = {name: list(itertools.islice(found, len(BURST_SIZES))) for name in rows}
    return latency_lines(f"updates of a burst, {SIZED_PER_S:g} updates a second; s", by_size, BURST_SIZES)


def turn_table(simulation: Simulation) -> Iterator[Line]:
    rows = {
        f"{work}, gang, {name}": (TURNS, {"job.0.deviation": str(deviation)} | settings)
        for work, deviation in WORKS.items()
        for name, settings in TURNS_OTHERWISE.items()
    }
    xs = (BURSTS_PER_S[0], BURSTS_PER_S[2], BURSTS_PER_S[-1])
    return latency_lines(STREAM_HEAD, by_row(simulation, rows, xs), xs)


TABLES: dict[str, Callable[[Simulation], Iterator[Line]]] = {
    "interval": interval_table,
    "variance": variance_table,
    "batch": batch_table,
    "priorities": priority_table,
    "streams": stream_table,
    "sizes": size_table,
    "turns": turn_table,
}


def markdown(lines: Sequence[Line]) -> str:
    head, *rest = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, "|" + "---|" * len(lines[0]), *rest])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="gang_simulated", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=TABLES, metavar="NAME", help=f"of {', '.join(TABLES)}")
    parser.add_argument("--seeds", type=positive, metavar="N", help=f"of each run ({SEEDS}, streams {STREAM_SEEDS})")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="the tables' cells, a line each")
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Progress()
    cells: list[Line] = []
    tables: list[Table] = []
    try:
        campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
        simulation = Simulation(campaign, arguments.seeds)
        for name in arguments.only or TABLES:
            lines = list(TABLES[name](simulation))
            progress.clear()
            print(markdown(lines), end="\n\n", flush=True)
            tables.append(table_of_words(["", *lines[0][1:]], lines[1:], lines[0][0]))
            for row in lines[1:]:
                cells += [(name, row[0], x, value) for x, value in zip(lines[0][1:], row[1:], strict=True)]
        if arguments.csv is not None:
            with arguments.csv.open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([("table", "row", "column", "value"), *cells])
    except (CampaignError, KeyboardInterrupt) as error:
        progress.clear()
        print(f"gang_simulated: {str(error) or 'interrupted'}", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    except OSError as error:
        progress.clear()
        print(f"gang_simulated: {error.filename or 'stdout'}: {error.strerror}", file=sys.stderr)
        return 1
    if arguments.json:
        leave(arguments.json, "16 simulated processors", tables, simulated=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
