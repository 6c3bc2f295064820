"""The states of one job's threads over time, Tsafrir and Feitelson's Figures 2 and 4: runs, and what they show in
numbers."""

from __future__ import annotations

import csv
from dataclasses import dataclass

from claims.claim import Found
from claims.tsafrir_runs import Lab
from lab.campaign import Run

STATES = ("computing", "spinning", "ready", "blocked")
FIG2_STEPS, FIG2_PERIOD = 4000, 4
FIG4_OTHERS, FIG4_PERIOD = 85, 10
SETTLED = 1000  # steps
QUIET = 3000  # so many steps without a blocked thread make a transition point
IN_TWO_GROUPS = 0.5


@dataclass(frozen=True)
class States:
    times: list[int]
    columns: dict[str, list[int]]

    def __len__(self) -> int:
        return len(self.times)


def states_of(text: str, job: int = 0) -> States:
    head, *lines = text.splitlines()
    wanted = [line for line in lines if line.split(",", 2)[1] == str(job)]  # before parsing: jobs may be many
    rows = list(csv.DictReader([head, *wanted]))
    return States([int(row["time"]) for row in rows], {name: [int(row[name]) for row in rows] for name in STATES})


def fig2_run(lab: Lab) -> Run:
    """19 medium-grain jobs of 10 threads under round robin."""
    settings = {"job.0.size": "10", "job.0.count": "19", "job.0.granularity": "medium", "limit": str(FIG2_STEPS)}
    return lab.states("rr-homogeneous", settings, FIG2_PERIOD)


def fig4_run(lab: Lab) -> Run:
    """The run of Figure 3 with 96 threads."""
    settings = {"job.0.size": "11", "job.0.granularity": "fine", "wait.policy": "cs"} | lab.background(FIG4_OTHERS)
    return lab.states("linux-single", settings, FIG4_PERIOD)


def states(lab: Lab, run: Run) -> States:
    return states_of(lab.campaign.run([run])[0])


def alternation(lab: Lab, run: Run) -> Found:
    """Once it has settled, how often a part of the job runs or spins while another one is blocked or ready."""
    found = states(lab, run)
    divided = total = 0
    for i, time in enumerate(found.times):
        if time < SETTLED:
            continue
        on = found.columns["computing"][i] + found.columns["spinning"][i]
        off = found.columns["ready"][i] + found.columns["blocked"][i]
        total += on > 0
        divided += on > 0 and off > 0
    share = divided / total if total else 0.0
    return Found(
        f"divided in {100 * share:.0f} % of the time in which any of the job runs", holds=share > IN_TWO_GROUPS
    )


def transition_time(found: States, quiet: int = QUIET) -> int | None:
    """The step from which on no thread blocks, for at least so long."""
    begin: int | None = None
    for i, time in enumerate(found.times):
        if found.columns["blocked"][i] > 0:
            begin = None
        elif begin is None:
            begin = time
        if begin is not None and time - begin >= quiet:
            return begin
    return None


def transition(lab: Lab, run: Run) -> Found:
    at = transition_time(states(lab, run))
    text = "no transition point" if at is None else f"transition point at step {at}"
    return Found(text, holds=at is not None and at > 0)
