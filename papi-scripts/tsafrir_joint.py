#!/usr/bin/env python3
"""Tsafrir and Feitelson's claims with open assumptions changed together: `papi-scripts/tsafrir_joint.py [ID...]`.

PROC_CHANGE_PENALTY x wake-up scheme x how near to its class's limit a job's intervals are x whether the threads that
only compute are one job. A row for each; `+` is accepted, `-` is not. Then which claims no row meets, and which pairs
of claims no row meets together. Loads are fewer than reproduce.py has (--every). Interrupted, the same command
continues.
"""

from __future__ import annotations

import argparse
import itertools
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from claims.claim import is_accepted, read_claims  # noqa: E402
from claims.tsafrir import CLAIMS  # noqa: E402
from claims.tsafrir_runs import Lab  # noqa: E402
from tsafrir_sensitivity import brief, of_few_loads, shortened  # noqa: E402

from lab.campaign import Campaign, CampaignError, add_options, status_after  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import Table, add_option, leave, table_of_words  # noqa: E402

TICK = 5  # steps: the quantum of 100 is Linux 2.2's 20 ticks
PENALTIES = (15, 5, 3, 1, 0)  # ticks; the paper has 15
WAKE_UPS = ("original", "ap", "gv")
CLASSES = {"edge": 1.0, "interior": 0.5}  # 9 in 10 intervals are below so much of the class's limit
BACKGROUNDS = {"separate": False, "one job": True}


@dataclass(frozen=True)
class Setting:
    penalty: int
    wake_up: str
    class_mean: str
    background: str

    @property
    def words(self) -> tuple[str, str, str, str]:
        return str(self.penalty), self.wake_up, self.class_mean, self.background

    def lab(self, campaign: Campaign, claim: str, every: int) -> Lab:
        sets = {"scheduler.proc_change_penalty": str(TICK * self.penalty)}
        if every > 1:
            sets = shortened(sets, claim)
        one = BACKGROUNDS[self.background]
        return Lab(
            campaign,
            sets,
            limit_share=CLASSES[self.class_mean],
            wake_up=self.wake_up,
            one_background=one,
            every=every,
        )


def settings(arguments: argparse.Namespace) -> Iterator[Setting]:
    for words in itertools.product(PENALTIES, WAKE_UPS, CLASSES, BACKGROUNDS):
        setting = Setting(*words)
        wanted = zip(setting.words, (arguments.penalty, arguments.wake_up, arguments.mean, arguments.background))
        if all(not some or word in some for word, some in wanted):
            yield setting


def contradictions(met: Sequence[set[str]], ids: Sequence[str]) -> list[str]:
    """What no setting meets, alone or in pairs; and the settings that meet most."""
    alone = [name for name in ids if not any(name in some for some in met)]
    pairs = [
        f"{a} with {b}"
        for a, b in itertools.combinations([name for name in ids if name not in alone], 2)
        if not any({a, b} <= some for some in met)
    ]
    return [
        f"Met by no setting: {', '.join(alone) or 'none'}.",
        f"Each met, but never together: {', '.join(pairs) or 'none'}.",
        f"At most {max(map(len, met))} of {len(ids)} are met by one setting.",
    ]


def table_of(rows: Sequence[Sequence[str]], met: Sequence[set[str]], ids: Sequence[str], every: int) -> Table:
    notes = ["+: would be accepted; -: not. The last column counts what is. A tick is 5 steps."]
    if every > 1:
        notes.append(of_few_loads(every))
    names = ["penalty", "wake-up", "class mean", "background", *ids, "met"]
    return table_of_words(names, rows, "", notes + contradictions(met, ids))


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("ids", nargs="*", metavar="ID", help=f"of {', '.join(CLAIMS)} (all)")
    for option, values in (
        ("--penalty", list(map(str, PENALTIES))),
        ("--wake-up", list(WAKE_UPS)),
        ("--mean", list(CLASSES)),
        ("--background", list(BACKGROUNDS)),
    ):
        made.add_argument(option, action="append", default=[], choices=values, help="only these")
    made.add_argument("--every", type=int, default=4, metavar="N", help="of the loads one in N (4); 1: all")
    add_options(made)
    add_option(made)
    return made


def main() -> int:
    made = parser()
    arguments = made.parse_args()
    ids = arguments.ids or list(CLAIMS)
    if unknown := [name for name in ids if name not in CLAIMS]:
        made.error(f"no claim {unknown[0]}; there are {', '.join(CLAIMS)}")
    if arguments.every < 1:
        made.error(f"--every {arguments.every}: must be 1 or more")
    claims = {claim.id: claim for claim in read_claims()}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Progress()
    campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
    rows: list[list[str]] = []
    met: list[set[str]] = []
    print(" ".join(["penalty", "wake-up", "mean", "background", *ids]), flush=True)
    try:
        for setting in settings(arguments):
            found = {name: CLAIMS[name](setting.lab(campaign, name, arguments.every)) for name in ids}
            met.append({name for name in ids if is_accepted(claims[name], found[name])})
            cells = [brief(found[name]) + ("+" if name in met[-1] else "-") for name in ids]
            rows.append([f"{setting.penalty} ticks", *setting.words[1:], *cells, str(len(met[-1]))])
            progress.clear()
            print(" ".join(rows[-1]), flush=True)
    except (CampaignError, KeyboardInterrupt, OSError) as error:
        return status_after(error, "tsafrir_joint", progress)
    table = table_of(rows, met, ids, arguments.every)
    print("\n".join(table.notes))
    if arguments.json:
        leave(arguments.json, "Changed together", [table], simulated=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
