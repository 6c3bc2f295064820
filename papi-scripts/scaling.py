#!/usr/bin/env python3
"""How waiting behaves on 32 to 1,024 processors: `papi-scripts/scaling.py [--processors 32,128] [--csv FILE]`.

Runs sim/smp/runs/scaling.toml, teams of 16 threads under EEVDF, over processors, loads, granularities and policies
(docs/scaling.md), and prints a table of each machine as Markdown: barriers passed in the same time, over always-block.
Runs are kept as campaign.py keeps them, so an interrupted campaign goes on where it was. Without --processors: 32 only.
"""

from __future__ import annotations

import argparse
import csv
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from campaign import Campaign, CampaignError, Run, add_options
from progress import Progress

T = TypeVar("T")

RUN_FILE = (
    Path(__file__).resolve().parent.parent / "sim" / "smp" / "runs" / "scaling.toml"
)
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
LIMITS_MS = {32: 100, 128: 30, 256: 15, 1024: 5}


@dataclass(frozen=True)
class Cell:
    processors: int
    load: float
    granularity: str
    policy: str

    @property
    def run(self) -> Run:
        teams = round(self.processors * self.load / TEAM)
        limit = LIMITS_MS[self.processors] * 1_000_000
        words = ["--csv"]
        for setting in (
            f"machine.processors={self.processors}",
            f"wait.policy={self.policy}",
            f"job.0.count={teams}",
            f"job.0.granularity={self.granularity}",
            f"limit={limit}",
        ):
            words += ["--set", setting]
        return Run(
            "smp",
            (RUN_FILE, *words),
            weight=float(self.processors * LIMITS_MS[self.processors]),
        )


def cells(machines: Sequence[int], granularities: Sequence[str]) -> list[Cell]:
    return [
        Cell(processors, load, granularity, policy)
        for processors in machines
        for granularity in granularities
        for load in LOADS
        for policy in POLICIES
    ]


def barriers_of(campaign: Campaign, wanted: list[Cell]) -> dict[Cell, float]:
    """Barriers that a thread passed per second, by cell."""
    out = {}
    for cell, table in zip(
        wanted, campaign.rows([cell.run for cell in wanted]), strict=True
    ):
        row = table[0]
        out[cell] = (
            float(row["barriers"])
            / float(row["all_threads"])
            / (float(row["elapsed"]) * 1e-9)
        )
    return out


def markdown(
    rates: dict[Cell, float], processors: int, granularities: Sequence[str]
) -> str:
    """Speed-up over always-block; in front, how many barriers a second that passes."""
    lines = [
        f"| {processors} processors | load | block, 1/s | "
        + " | ".join(p for p in POLICIES if p != "block")
        + " |"
    ]
    lines.append("|---|---|---|" + "---|" * (len(POLICIES) - 1))
    for granularity in granularities:
        for load in LOADS:
            rate = {
                policy: rates[Cell(processors, load, granularity, policy)]
                for policy in POLICIES
            }
            base = rate["block"]
            numbers = [
                f"{rate[p] / base:.2f}" if base else "-"
                for p in POLICIES
                if p != "block"
            ]
            lines.append(
                f"| {granularity} | {load:g} | {base:.0f} | "
                + " | ".join(numbers)
                + " |"
            )
    return "\n".join(lines)


def write_csv(rates: dict[Cell, float], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "processors",
                "load",
                "granularity",
                "policy",
                "barriers_per_s",
                "over_block",
            ]
        )
        for cell, rate in rates.items():
            base = rates[Cell(cell.processors, cell.load, cell.granularity, "block")]
            over = f"{rate / base:.4f}" if base else ""
            writer.writerow(
                [
                    cell.processors,
                    cell.load,
                    cell.granularity,
                    cell.policy,
                    f"{rate:.2f}",
                    over,
                ]
            )


def draw(
    rates: dict[Cell, float],
    machines: Sequence[int],
    granularities: Sequence[str],
    path: Path,
) -> None:
    try:
        import matplotlib
    except ImportError as error:
        hint = "install it (Debian: python3-matplotlib, for /usr/bin/python3); the table above needs it not"
        sys.exit(f"scaling: {sys.executable}: {error}; {hint}")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        len(machines),
        len(granularities),
        figsize=(1 + 3.4 * len(granularities), 3.2 * len(machines)),
        squeeze=False,
        sharex=True,
    )
    for row, processors in zip(axes, machines, strict=True):
        for axis, granularity in zip(row, granularities, strict=True):
            for policy in POLICIES:
                if policy == "block":
                    continue
                over = [
                    rates[Cell(processors, load, granularity, policy)]
                    / (
                        rates[Cell(processors, load, granularity, "block")]
                        or float("nan")
                    )
                    for load in LOADS
                ]
                axis.plot(LOADS, over, marker="o", markersize=3, label=policy)
            axis.axhline(1, color="black", linewidth=0.5)
            axis.set_yscale("log")
            axis.set_title(f"{processors} processors, {granularity}", fontsize=9)
            axis.set_xlabel("threads a processor")
        row[0].set_ylabel("barriers, over always-block")
    axes[0][-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def listed(text: str, known: dict[str, T]) -> list[T]:
    words = text.split(",")
    wrong = [word for word in words if word not in known]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of {', '.join(known)}")
    return [known[word] for word in words]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scaling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--processors",
        type=lambda text: listed(text, {str(known): known for known in LIMITS_MS}),
        default=[32],
        metavar="LIST",
        help="of 32, 128, 256, 1024 (32)",
    )
    parser.add_argument(
        "--granularities",
        type=lambda text: listed(text, {known: known for known in GRANULARITIES}),
        default=list(GRANULARITIES),
        metavar="LIST",
        help="of fine, medium, coarse (all)",
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="every number")
    parser.add_argument(
        "--figure",
        type=Path,
        metavar="FILE",
        help="PNG or SVG, by its ending; needs matplotlib",
    )
    add_options(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    machines, granularities = arguments.processors, arguments.granularities
    progress = Progress()
    try:
        campaign = Campaign(
            arguments.build, arguments.jobs, arguments.campaigns, progress
        )
        rates = barriers_of(campaign, cells(machines, granularities))
        progress.clear()
        for processors in machines:
            print(markdown(rates, processors, granularities), end="\n\n")
        if arguments.csv:
            write_csv(rates, arguments.csv)
        if arguments.figure:
            draw(rates, machines, granularities, arguments.figure)
    except (CampaignError, KeyboardInterrupt) as error:
        progress.clear()
        print(f"scaling: {str(error) or 'interrupted'}", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    except OSError as error:
        print(
            f"scaling: {error.filename or 'stdout'}: {error.strerror}", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
