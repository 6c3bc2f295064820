#!/usr/bin/env python3
"""How waiting behaves on 32 to 1,024 processors: `campaigns/scaling.py [--processors 32,128] [--csv FILE]`.

Runs sim/smp/runs/scaling.toml, teams of 16 threads under EEVDF, over processors, loads, granularities and policies
(docs/results/scaling.md), and prints a table of each machine as Markdown: barriers passed in the same time, over
always-block. With --seeds N the numbers are medians of so many runs; least and most are in the CSV. Runs are kept
by lab/campaign.py, so an interrupted campaign continues. Without --processors: 32 only.
"""

from __future__ import annotations

import argparse
import csv
import signal
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab.campaign import Campaign, CampaignError, Run, add_options, positive, status_after  # noqa: E402
from lab.pictures import save_png  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import Column, Table, add_option, leave, table_of_markdown  # noqa: E402

T = TypeVar("T")

RUN_FILE = Path(__file__).resolve().parent.parent / "sim" / "smp" / "runs" / "scaling.toml"
POLICIES = (
    "auto",
    "2cs+",
    "conditional",
    "block",
    "libomp",
    "libomp-passive",
    "libgomp",
    "libgomp-passive",
)
LOADS = (0.5, 1.0, 1.5, 2.0, 4.0)
GRANULARITIES = ("fine", "medium", "coarse")
TEAM = 16
# Simulated time, so that no run takes more than a minute. The kernel's slice is 2.8 ms.
LIMITS_MS = {32: 100, 128: 30, 256: 15, 1024: 20}


@dataclass(frozen=True)
class Cell:
    processors: int
    load: float
    granularity: str
    policy: str

    def run(self, seed: int) -> Run:
        teams = round(self.processors * self.load / TEAM)
        limit = LIMITS_MS[self.processors] * 1_000_000
        words = ["--csv"]
        for setting in (
            f"machine.processors={self.processors}",
            f"wait.policy={self.policy}",
            f"job.0.count={teams}",
            f"job.0.granularity={self.granularity}",
            f"limit={limit}",
            f"seed={seed}",
        ):
            words += ["--set", setting]
        weight = self.processors * self.load * LIMITS_MS[self.processors]
        return Run("smp", (RUN_FILE, *words), weight=weight)


@dataclass(frozen=True)
class Choice:
    """What is run: all of each with all of the others."""

    machines: Sequence[int]
    granularities: Sequence[str] = GRANULARITIES
    loads: Sequence[float] = LOADS
    policies: Sequence[str] = POLICIES

    @property
    def cells(self) -> list[Cell]:
        """With always-block, which the others are shown over."""
        policies = self.policies if "block" in self.policies else [*self.policies, "block"]
        return [
            Cell(processors, load, granularity, policy)
            for processors in self.machines
            for granularity in self.granularities
            for load in self.loads
            for policy in policies
        ]


Rates = dict[Cell, list[float]]


def barriers_of(campaign: Campaign, wanted: list[Cell], seeds: int) -> Rates:
    """Barriers that a thread passed per second, by cell; of each seed."""
    tables = campaign.rows([cell.run(seed) for cell in wanted for seed in range(1, seeds + 1)])
    rates = [float(t[0]["barriers"]) / float(t[0]["all_threads"]) / (float(t[0]["elapsed"]) * 1e-9) for t in tables]
    return {cell: rates[i * seeds : (i + 1) * seeds] for i, cell in enumerate(wanted)}


def over_block(rates: Rates, cell: Cell) -> float | None:
    """Of medians; nothing where always-block has passed none."""
    base = statistics.median(rates[Cell(cell.processors, cell.load, cell.granularity, "block")])
    return statistics.median(rates[cell]) / base if base else None


def markdown(rates: Rates, processors: int, choice: Choice) -> str:
    """Speed-up over always-block; in front, how many barriers a second that passes."""
    shown = [policy for policy in choice.policies if policy != "block"]
    lines = [
        f"| {processors} processors | load | block, 1/s | {' | '.join(shown)} |",
        "|---" * (3 + len(shown)) + "|",
    ]
    for granularity in choice.granularities:
        for load in choice.loads:
            base = statistics.median(rates[Cell(processors, load, granularity, "block")])
            numbers = []
            for policy in shown:
                over = over_block(rates, Cell(processors, load, granularity, policy))
                numbers.append("-" if over is None else f"{over:.2f}")
            lines.append(f"| {granularity} | {load:g} | {base:.0f} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def title_of(choice: Choice) -> str:
    return f"{', '.join(f'{processors:,}' for processors in choice.machines)} processors"


def result_tables(rates: Rates, choice: Choice) -> list[Table]:
    """Those that are printed; the machine is in the title where there are several."""
    tables = []
    for processors in choice.machines:
        table = table_of_markdown(markdown(rates, processors, choice))
        title = f"{processors:,} processors" if len(choice.machines) > 1 else ""
        columns = [Column("granularity"), Column("load"), Column("block", "barriers/s"), *table.columns[3:]]
        tables.append(replace(table, columns=columns, title=title))
    return tables


def write_csv(rates: Rates, path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        numbers = ["barriers_per_s", "least", "most", "over_block"]
        writer.writerow(["processors", "load", "granularity", "policy", "seeds", *numbers])
        for cell, rate in rates.items():
            over = over_block(rates, cell)
            row = [cell.processors, cell.load, cell.granularity, cell.policy, len(rate)]
            row += [f"{number:.2f}" for number in (statistics.median(rate), min(rate), max(rate))]
            writer.writerow([*row, "" if over is None else f"{over:.4f}"])


def draw(rates: Rates, choice: Choice, path: Path) -> None:
    try:
        import matplotlib
    except ImportError as error:
        hint = "install it (Debian: python3-matplotlib, for /usr/bin/python3); the table above needs it not"
        sys.exit(f"scaling: {sys.executable}: {error}; {hint}")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows, columns = len(choice.machines), len(choice.granularities)
    size = (1 + 3.4 * columns, 3.2 * rows)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False, sharex=True)
    for row, processors in zip(axes, choice.machines, strict=True):
        for axis, granularity in zip(row, choice.granularities, strict=True):
            for policy in choice.policies:
                if policy == "block":
                    continue
                over = [over_block(rates, Cell(processors, load, granularity, policy)) for load in choice.loads]
                axis.plot(choice.loads, over, marker="o", markersize=3, label=policy)
            axis.axhline(1, color="black", linewidth=0.5)
            axis.set_yscale("log")
            axis.set_title(f"{processors} processors, {granularity}", fontsize=9)
            axis.set_xlabel("threads a processor")
        row[0].set_ylabel("barriers, over always-block")
    axes[0][-1].legend(fontsize=7)
    figure.tight_layout()
    save_png(figure, path, dpi=120)


def listed(text: str, known: dict[str, T]) -> list[T]:
    words = text.split(",")
    wrong = [word for word in words if word not in known]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of {', '.join(known)}")
    return [known[word] for word in dict.fromkeys(words)]


def add_list(parser: argparse.ArgumentParser, option: str, known: dict[str, T], default: list[T]) -> None:
    names = ", ".join(known)
    meant = "all" if len(default) == len(known) else ", ".join(word for word in known if known[word] in default)
    parser.add_argument(
        option,
        type=lambda text: listed(text, known),
        default=default,
        metavar="LIST",
        help=f"of {names} ({meant})",
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scaling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_list(parser, "--processors", {str(known): known for known in LIMITS_MS}, [32])
    add_list(
        parser,
        "--granularities",
        {known: known for known in GRANULARITIES},
        list(GRANULARITIES),
    )
    add_list(parser, "--loads", {f"{known:g}": known for known in LOADS}, list(LOADS))
    add_list(parser, "--policies", {known: known for known in POLICIES}, list(POLICIES))
    parser.add_argument(
        "--seeds",
        type=positive,
        default=1,
        metavar="N",
        help="runs of each; medians are shown (1)",
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="every number")
    parser.add_argument(
        "--figure",
        type=Path,
        metavar="FILE",
        help="PNG or SVG, by its ending; needs matplotlib",
    )
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    choice = Choice(
        arguments.processors,
        arguments.granularities,
        arguments.loads,
        arguments.policies,
    )
    progress = Progress()
    try:
        campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
        rates = barriers_of(campaign, choice.cells, arguments.seeds)
        progress.clear()
        for processors in choice.machines:
            print(markdown(rates, processors, choice), end="\n\n")
        if arguments.json:
            leave(arguments.json, title_of(choice), result_tables(rates, choice), simulated=True)
        if arguments.csv:
            write_csv(rates, arguments.csv)
        if arguments.figure:
            draw(rates, choice, arguments.figure)
    except (CampaignError, KeyboardInterrupt, OSError) as error:
        return status_after(error, "scaling", progress)
    return 0


if __name__ == "__main__":
    sys.exit(main())
