#!/usr/bin/env python3
"""How Arpaci-Dusseau and Culler's claims depend on what their paper leaves open: each assumption changed alone.

Printed is a line for each: the slowdowns of the bulk-synchronous program (C = 100 us) at once blocking and at the two
spins of claims 1 to 3, and of the continuous ones with the best of some fixed spins and with the derived conditional
one, all with W = 200 us. docs/results/arpaci.md has the table.
"""

from __future__ import annotations

import argparse
import signal
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cluster_runs import BULK, CONTINUOUS, READ_US, Clusters, Waiting, Workload, triggered_us  # noqa: E402

from lab.campaign import Campaign, CampaignError, add_options, positive  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import add_option, leave, table_of_words  # noqa: E402

SWITCH_US = 200
FIXED_US = (220, 420, 620, 1020)
Settings = tuple[tuple[str, object], ...]
# What is done in another way, for both kinds of programs.
OTHER_WAYS: dict[str, Settings] = {
    "as documented": (),
    "barriers spin as long as reads": (("barrier", "as read"),),
    "barrier: binary tree": (("program.barrier", "tree"),),
    "barrier: dissemination": (("program.barrier", "dissemination"),),
    "neighbours on a ring": (("program.neighbours", "ring"),),
    "C of the continuous elapsed, not computing": (("program.interval", "elapsed"),),
    "clocks tick together": (("scheduler.clocks", "together"),),
    "queues begin in the same order": (("scheduler.queues", "same"),),
    "every sleep raises": (("scheduler.sleep_return", "always"),),
    "System V Release 4's table": (("scheduler.table", "svr4"),),
    "round robin, 100 ms": (("scheduler.policy", "round-robin"),),
    "a woken process does not spin": (("waiting.wake_spin_us", 0),),
}
HEAD = ("block", "20 us", "2L + W", "c = 10: fixed", "at", "3W", "c = 100: fixed", "at", "3W")


def cells_of(settings: Settings, dedicated_s: float) -> list[tuple[Workload, Waiting]]:
    as_read = ("barrier", "as read") in settings
    more = tuple(setting for setting in settings if setting[0] != "barrier")
    bulk = Workload(BULK, SWITCH_US, 100, dedicated_s, more)
    base = triggered_us(SWITCH_US)

    def fixed(spin: float) -> Waiting:
        return Waiting(spin, spin if as_read else base)

    cells = [(bulk, Waiting(0, 0)), (bulk, fixed(READ_US)), (bulk, fixed(base))]
    for every_us in (10, 100):
        one = replace(bulk, style=CONTINUOUS, every_us=every_us)
        cells += [(one, fixed(spin)) for spin in FIXED_US]
        cells.append((one, Waiting(base, base, 3 * SWITCH_US)))
    return cells


def line_of(clusters: Clusters, cells: list[tuple[Workload, Waiting]]) -> list[str]:
    found = [clusters.slowdown(*cell) for cell in cells]
    words = [f"{value:.2f}" for value in found[:3]]
    for first in (3, 4 + len(FIXED_US)):
        fixed = found[first : first + len(FIXED_US)]
        words += [f"{min(fixed):.2f}", str(FIXED_US[fixed.index(min(fixed))]), f"{found[first + len(FIXED_US)]:.2f}"]
    return words


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="cluster_sensitivity", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dedicated-s", type=positive, default=5, metavar="S", help="of each job (5)")
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the runs end with us
    progress = Progress()
    clusters = Clusters(Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress))
    ways = {name: cells_of(settings, arguments.dedicated_s) for name, settings in OTHER_WAYS.items()}
    try:
        clusters.prepare(cell for cells in ways.values() for cell in cells)
    except (CampaignError, KeyboardInterrupt) as error:
        progress.clear()
        print(f"cluster_sensitivity: {str(error) or 'interrupted'}", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    progress.clear()
    print("| | " + " | ".join(HEAD) + " |")
    print("|---|" + "---|" * len(HEAD))
    rows = [[name, *line_of(clusters, cells)] for name, cells in ways.items()]
    for row in rows:
        print("| " + " | ".join(row) + " |")
    if arguments.json:
        notes = [f"Slowdowns; W = {SWITCH_US} us, jobs of {arguments.dedicated_s} s; at: the length in us."]
        table = table_of_words(["changed", *HEAD], rows, "", notes)
        leave(arguments.json, "Each assumption changed alone", [table], simulated=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
