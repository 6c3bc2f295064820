#!/usr/bin/env python3
"""How Tsafrir and Feitelson's claims depend on open assumptions: `papi-scripts/tsafrir_sensitivity.py [ID...]`.

Each assumption is changed alone, and the claims are computed again; `+` is accepted, `-` is not.
"""

from __future__ import annotations

import argparse
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from claims.claim import Found, is_accepted, read_claims  # noqa: E402
from claims.tsafrir import CLAIMS  # noqa: E402
from claims.tsafrir_runs import Lab  # noqa: E402

from lab.campaign import Campaign, CampaignError, add_options  # noqa: E402
from lab.progress import Progress  # noqa: E402
from lab.results import add_option, leave, table_of_words  # noqa: E402

# The kernel's ticks, of which the quantum has 20.
TICKS = {
    "tick": 5,
    "default_ticks": 20,
    "proc_change_penalty": 15,
    "same_address_space_bonus": 1,
    "preemption_threshold": 1,
}
WORK = 10_000  # steps of computing a thread of single jobs and pairs where loads are fewer; else 30,000 and 8,000
SINGLE = ("T3", "T4", "T5", "T6", "T7", "T9")
MIXES = ("T8", "T10", "T11")
LINUX = (*SINGLE, *MIXES)
ALL = ("T1", "T2", *LINUX)
ALL_BUT_WAKE_UP = tuple(name for name in ALL if name not in ("T6", "T7"))


@dataclass(frozen=True)
class Variant:
    """A changed assumption: settings of the run files, or fields of Lab."""

    claims: tuple[str, ...]  # for which it can make a difference
    sets: dict[str, str] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)


VARIANTS = {
    "as it is": Variant(tuple(CLAIMS)),
    "deviation 0.05 of the mean": Variant(ALL, fields={"share": 0.05}),
    "deviation 0.2": Variant(ALL, fields={"share": 0.2}),
    "deviation 0.3": Variant(ALL, fields={"share": 0.3}),
    "deviation 0.5": Variant(ALL, fields={"share": 0.5}),
    "intervals below 0.8 of their limit": Variant(ALL, fields={"limit_share": 0.8}),
    "intervals below half their limit": Variant(ALL, fields={"limit_share": 0.5}),
    "identical jobs of 2, 4, 8, 16": Variant(("T1", "T2"), fields={"sizes": (2, 4, 8, 16)}),
    "mixes of jobs of 2 to 16": Variant(MIXES, {"mix.most": "16"}),
    "mixes of jobs of 8 to 32": Variant(MIXES, {"mix.least": "8"}),
    "processors idle at once": Variant(ALL, {"machine.idle_at_once": "true"}),
    "interrupts take a step": Variant(ALL, {"machine.interrupt_delay": "1"}),
    "ten times finer steps": Variant(ALL, {"machine.context_switch": "60"}),
    "ticks of 5 steps": Variant(LINUX, {f"scheduler.{key}": str(value) for key, value in TICKS.items()}),
    "jobs start in order": Variant(ALL, {"order": "given"}),
    "switches cost no ticks": Variant(LINUX, {"scheduler.switching": "nobody"}),
    "the next thread pays for them": Variant(LINUX, {"scheduler.switching": "next"}),
    "exact accounting": Variant(LINUX, {"scheduler.accounting": "exact"}),
    "the backdrop is one job": Variant(SINGLE, fields={"one_background": True}),
    "wake-up AP": Variant(ALL_BUT_WAKE_UP[2:], fields={"wake_up": "ap"}),
    "until all are done": Variant(MIXES, {"stop": "all"}),
    "a fifth of the barriers": Variant(("T3", "T4", "T5", "T9"), {"job.0.work": "6000"}),
    "CS+ of 8 steps, 2CS+ of 15": Variant(LINUX[1:], fields={"spins": {"cs+": "8", "2cs+": "15"}}),
}


def shortened(sets: dict[str, str], claim: str) -> dict[str, str]:
    return sets if claim not in (*SINGLE, "T12") or "job.0.work" in sets else sets | {"job.0.work": str(WORK)}


def lab_for(campaign: Campaign, claim: str, name: str, every: int) -> Lab | None:
    """None where it makes no difference."""
    variant = VARIANTS[name]
    if claim not in variant.claims:
        return None
    sets = variant.sets if every == 1 else shortened(variant.sets, claim)
    if "machine.context_switch" in sets:  # times grow with the resolution
        sets = sets | ({"scheduler.tick": "10"} if claim in LINUX else {"scheduler.quantum": "1000"})
    return Lab(campaign, sets, every=every, **variant.fields)


def of_few_loads(every: int) -> str:
    return f"One in {every} of the loads, single jobs a third as long, and one seed of the larger machines."


def brief(found: Found) -> str:
    if found.numbers:
        low, high = min(found.numbers), max(found.numbers)
        digits = 2 if high < 10 else 0
        texts = [f"{value:.{digits}f}" for value in found.numbers]
        return "/".join(texts) if len(texts) <= 2 else f"{low:.{digits}f}..{high:.{digits}f}"
    return "yes" if found.holds else "no"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"of {', '.join(CLAIMS)} (all)")
    parser.add_argument("--variant", action="append", default=[], choices=list(VARIANTS), help="only these")
    parser.add_argument("--every", type=int, default=4, metavar="N", help="of the loads one in N (4); 1: all")
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    ids = arguments.ids or list(CLAIMS)
    claims = {claim.id: claim for claim in read_claims()}
    unknown = [name for name in ids if name not in CLAIMS]
    if unknown:
        parser.error(f"no claim {unknown[0]}; there are {', '.join(CLAIMS)}")
    if arguments.every < 1:
        parser.error(f"--every {arguments.every}: must be 1 or more")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    progress = Progress()
    campaign = Campaign(arguments.build, arguments.jobs, arguments.campaigns, progress)
    try:
        rows = []
        print(f"{'':28}" + "".join(f"{name:>13}" for name in ids), flush=True)
        for variant in arguments.variant or VARIANTS:
            cells = []
            for name in ids:
                lab = lab_for(campaign, name, variant, arguments.every)
                found = CLAIMS[name](lab) if lab is not None else None
                progress.clear()
                mark = "" if found is None else "+" if is_accepted(claims[name], found) else "-"
                cells.append("." if found is None else brief(found) + mark)
            print(f"{variant:28}" + "".join(f"{cell:>13}" for cell in cells), flush=True)
            rows.append([variant, *cells])
    except (CampaignError, KeyboardInterrupt) as error:
        progress.clear()
        print(f"tsafrir_sensitivity: {str(error) or 'interrupted'}", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    if arguments.json:
        notes = ["+: would be accepted; .: makes no difference."]
        if arguments.every > 1:
            notes.append(of_few_loads(arguments.every))
        table = table_of_words(["changed", *ids], rows, "", notes)
        leave(arguments.json, "Each assumption changed alone", [table], simulated=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
