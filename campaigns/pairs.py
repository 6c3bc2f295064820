#!/usr/bin/env python3
"""Copies of a program of two threads on two simulated processors: `campaigns/pairs.py [--seeds N]`.

Runs sim/smp/runs/pairs.toml with 2 to 4 copies, which begin at random within the first 20 ms, and prints a Markdown
table of what all copies manage together: iterations of two barriers a second, median [least-most] over the seeds. It
is what bin/barrier measures on a real machine of two CPUs (docs/results/scaling.md). Its work lies
before the first of the two barriers; here half of it lies before each.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lab.campaign import Campaign, CampaignError, Run, add_options, positive  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import add_option, leave, table_of_markdown  # noqa: E402

RUN_FILE = Path(__file__).resolve().parent.parent / "sim" / "smp" / "runs" / "pairs.toml"
POLICIES = ("2cs+", "auto", "block", "libgomp-passive", "libomp", "libomp-passive")
WORKS_US = (0, 10, 100)
COPIES = (2, 3, 4)
MOST_COPIES = max(COPIES)  # as many as the run file has
STARTS_WITHIN_NS = 20_000_000
BARRIERS = 2  # of an iteration


def run_of(copies: int, work_us: int, policy: str, seed: int, settings: list[str]) -> Run:
    words = ["--csv"]
    mean = max(1, work_us * 1000 // BARRIERS)
    starts = [0, *sorted(random.Random(seed).sample(range(STARTS_WITHIN_NS), MOST_COPIES - 1))]
    chosen = [f"wait.policy={policy}", f"seed={seed}"]
    for job, start in enumerate(starts):
        chosen += [f"job.{job}.count={int(job < copies)}", f"job.{job}.mean={mean}", f"job.{job}.arrives={start}"]
    for setting in (*chosen, *settings):
        words += ["--set", setting]
    return Run("smp", (RUN_FILE, *words), weight=1 / (1 + work_us))


def table(campaign: Campaign, seeds: int, settings: list[str]) -> str:
    cells = [(copies, work, policy) for work in WORKS_US for copies in COPIES for policy in POLICIES]
    outputs = campaign.rows([run_of(*cell, seed, settings) for cell in cells for seed in range(1, seeds + 1)])
    rates = []
    for output in outputs:
        row = output[0]
        # Those of all copies: each thread of a copy counts its barriers.
        rates.append(float(row["barriers"]) / 2 / BARRIERS / (float(row["elapsed"]) * 1e-9))
    lines = [f"| copies, work | {' | '.join(POLICIES)} |", "|---" * (1 + len(POLICIES)) + "|"]
    for begin in range(0, len(cells), len(POLICIES)):
        copies, work, _ = cells[begin]
        shown = []
        for i in range(begin, begin + len(POLICIES)):
            of = rates[i * seeds : (i + 1) * seeds]
            shown.append(f"{statistics.median(of):,.0f}" + (f" [{min(of):,.0f}-{max(of):,.0f}]" if seeds > 1 else ""))
        lines.append(f"| {copies}, {work} us | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="pairs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=positive, default=1, metavar="N", help="runs of each (1)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as bin/smp takes it")
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Progress()
    try:
        campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
        text = table(campaign, arguments.seeds, arguments.set)
        progress.clear()
        print(text)
        if arguments.json:
            leave(arguments.json, "Copies of a pair, simulated", [table_of_markdown(text)], simulated=True)
    except (CampaignError, KeyboardInterrupt) as error:
        progress.clear()
        print(f"pairs: {str(error) or 'interrupted'}", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
