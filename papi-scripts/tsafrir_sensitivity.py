#!/usr/bin/env python3
"""How Tsafrir and Feitelson's claims depend on open assumptions: `papi-scripts/tsafrir_sensitivity.py [ID...]`.

Each assumption is changed alone, and the claims are computed again; `+` is accepted, `-` is not.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

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
APART = "a backdrop of many jobs"
# What is changed: settings of the run files, and the intervals' deviation as a share of their mean.
VARIANTS: dict[str, tuple[dict[str, str], float | None]] = {
    "as it is": ({}, None),
    "deviation 0.05 of the mean": ({}, 0.05),
    "deviation 0.2": ({}, 0.2),
    "deviation 0.3": ({}, 0.3),
    "deviation 0.5": ({}, 0.5),
    "interrupts take a step": ({"machine.interrupt_delay": "1"}, None),
    "ten times finer steps": ({"machine.context_switch": "60"}, None),
    "ticks of 5 steps": ({f"scheduler.{key}": str(value) for key, value in TICKS.items()}, None),
    "jobs start in order": ({"order": "given"}, None),
    "switches cost no ticks": ({"scheduler.switching": "nobody"}, None),
    "the next thread pays for them": ({"scheduler.switching": "next"}, None),
    "exact accounting": ({"scheduler.accounting": "exact"}, None),
    APART: ({}, None),
    "wake-up AP": ({"scheduler.wake_up": "ap"}, None),
    "until all are done": ({"stop": "all"}, None),
    "a fifth of the barriers": ({"job.0.work": "6000"}, None),
    "spins for CS and a step": ({"wait.policy": '"7"'}, None),
}
ONLY_LINUX = ("T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11")
ONLY_CS = ("T1", "T2", "T3")
ONLY_SINGLE = ("T3", "T4", "T5", "T6", "T7", "T9")
ONLY_MIXES = ("T8", "T10", "T11")
ONLY_ORIGINAL = ("T3", "T4", "T5", "T8", "T9", "T10", "T11")


def lab_for(campaign: Campaign, claim: str, variant: str, every: int) -> Lab | None:
    """None where it makes no difference."""
    sets, share = VARIANTS[variant]
    sets = dict(sets)
    scheduler = any(key.startswith("scheduler.") for key in sets)
    if scheduler and claim not in (ONLY_ORIGINAL if "scheduler.wake_up" in sets else ONLY_LINUX):
        return None
    if variant == APART and claim not in ONLY_SINGLE:
        return None
    if "wait.policy" in sets and claim not in ONLY_CS:
        return None
    if "stop" in sets and claim not in ONLY_MIXES:
        return None
    if "job.0.work" in sets and claim in (*ONLY_MIXES, "T1", "T2"):
        return None
    if "machine.context_switch" in sets:
        sets |= {"scheduler.tick": "10"} if claim in ONLY_LINUX else {"scheduler.quantum": "1000"}
    return Lab(campaign, sets, share, variant == APART, every)


def brief(found: Found) -> str:
    if found.numbers:
        low, high = min(found.numbers), max(found.numbers)
        digits = 2 if high < 10 else 0
        texts = [f"{value:.{digits}f}" for value in found.numbers]
        return "/".join(texts) if len(texts) <= 2 else f"{low:.{digits}f}..{high:.{digits}f}"
    return "yes" if found.holds else "no"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"of {', '.join(CLAIMS)} (T1 to T4, T9)")
    parser.add_argument("--variant", action="append", default=[], choices=list(VARIANTS), help="only these")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of a single job's loads one in N (1)")
    add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    ids = arguments.ids or ["T1", "T2", "T3", "T4", "T9"]
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
        table = table_of_words(["changed", *ids], rows, "", notes)
        leave(arguments.json, "Each assumption changed alone", [table], simulated=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
