"""Tsafrir and Feitelson's Figures 1 to 9, from the runs of their claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from claims import tsafrir
from claims.tsafrir_runs import (
    BLOCK,
    FINE,
    HOMOGENEOUS_SIZES,
    MEDIUM,
    MIX_SEEDS,
    PROCESSORS,
    SINGLE_SIZE,
    SPINS,
    Lab,
    mix_loads,
    single_loads,
)
from claims.tsafrir_states import STATES, fig2_run, fig4_run, states, transition_time

from drawing.series import PanelOf, PaperFigure, Point, SeriesOf
from drawing.styles import Style
from lab.campaign import Campaign, Run

MACHINE = f"{PROCESSORS} processors, CS 6 steps, quantum 100 steps"
SHOWN_SEEDS = 4  # as in the paper
THREADS, SSR = "threads", "SSR, %"
OVER_BLOCK = "speed-up over always-block"
GROUPS = (FINE, MEDIUM)
MANY = (
    Style("o"),
    Style("s", (0, (5, 2)), 0.2),
    Style("^", (0, (1, 1.2)), 0.0, filled=True),
    Style("D", (0, (5, 1.5, 1, 1.5)), 0.35, size=4.5),
)
BY_SPIN = {
    "cs": Style("o", (0, (1, 1.2)), 0.0),
    "cs+": Style("s", (0, (5, 2)), 0.3),
    "2cs+": Style("D", "-", 0.0, filled=True, size=4.0),
}
OF_STATE = {
    "computing": Style("", grey=0.15),
    "spinning": Style("", grey=0.55, hatch="//"),
    "ready": Style("", grey=0.82, hatch="\\"),
    "blocked": Style("", grey=1.0),
}
OF_GROUP = {"fine": MANY[0], "medium": MANY[1], "coarse": MANY[2]}


def printed(run: Run) -> str:
    """As it can be typed in the source tree."""
    return " ".join(["smp", f"sim/smp/runs/{run.words[0].name}", *map(str, run.words[1:])])  # type: ignore[union-attr]


def series(names: Iterable[str], styles: Iterable[Style], labels: Callable[[str], str] = str) -> tuple[SeriesOf, ...]:
    return tuple(SeriesOf(name, style, labels(name)) for name, style in zip(names, styles, strict=False))


def fig1(campaign: Campaign) -> list[Point]:
    lab = Lab(campaign)
    points = []
    for granularity in GROUPS:
        lines = tsafrir.homogeneous_ssr(lab, granularity)
        for size in HOMOGENEOUS_SIZES:
            commands = {threads: printed(run) for threads, run in lab.homogeneous("rr", granularity, size)}
            points += [Point(granularity, str(size), n, ssr, command=commands[n]) for n, ssr in lines[size].items()]
    return points


def over_time(campaign: Campaign, run: Run, until: int | None = None) -> list[Point]:
    found = states(Lab(campaign), run)
    at = [i for i, time in enumerate(found.times) if until is None or time <= until]
    return [
        Point("states", name, found.times[i], found.columns[name][i], command=printed(run))
        for name in STATES
        for i in at
    ]


def fig4(campaign: Campaign) -> list[Point]:
    """Around the transition point; where there is none, the same length from the start."""
    lab = Lab(campaign)
    run = fig4_run(lab)
    found = states(lab, run)
    at = transition_time(found) or 0
    begin = max(0, at - 1500)
    points = over_time(campaign, run)
    return [point for point in points if begin <= point.x <= begin + 3000]


def single_points(campaign: Campaign, granularity: str, policy: str) -> list[Point]:
    lab = Lab(campaign)
    line = tsafrir.single_ssr(lab, granularity, policy)
    commands = {n: printed(lab.single(granularity, policy, n - SINGLE_SIZE)) for n in line}
    return [Point(granularity, policy, n, ssr, command=commands[n]) for n, ssr in line.items()]


def fig3(campaign: Campaign) -> list[Point]:
    return single_points(campaign, FINE, "cs")


def fig5(campaign: Campaign) -> list[Point]:
    """Of the loads of Figure 3, those that all spin times were run with."""
    points = [point for g in GROUPS for policy in SPINS for point in single_points(campaign, g, policy)]
    kept = set(single_loads(FINE, BLOCK))
    return [point for point in points if point.x in kept]


def fig6(campaign: Campaign) -> list[Point]:
    lab = Lab(campaign)
    found = tsafrir.mix_ssr(lab)
    commands = {n: printed(lab.mix(n, "2cs+")) for n in mix_loads()}
    return [
        Point(seed, group, n, ssr, command=commands[n])
        for group in OF_GROUP
        for seed, line in found.get(group, {}).items()
        if int(seed) <= SHOWN_SEEDS
        for n, ssr in line.items()
        if ssr == ssr
    ]


def fig7(campaign: Campaign) -> list[Point]:
    lab = Lab(campaign)
    points = []
    for granularity in GROUPS:
        for policy in SPINS:
            for n, value in tsafrir.single_speedups(lab, granularity, policy).items():
                command = printed(lab.single(granularity, policy, n - SINGLE_SIZE)) + " --speedup"
                points.append(Point(granularity, policy, n, value, command=command))
    return points


def fig8(campaign: Campaign) -> list[Point]:
    lab = Lab(campaign)
    loads = mix_loads()
    points = []
    for policy in SPINS:
        for n, value in tsafrir.mix_speedups(lab, policy, loads).items():
            points.append(Point("mix", policy, n, value, command=printed(lab.mix(n, policy)) + " --speedup"))
    return points


def fig9(campaign: Campaign) -> list[Point]:
    lab = Lab(campaign)
    points = []
    for processors in tsafrir.BIGGER:
        for share, value in tsafrir.bigger_speedups(lab, processors).items():
            run = lab.mix(round(share * processors), "2cs+", tsafrir.BIGGER_SEEDS, processors)
            points.append(Point("mix", str(processors), share, value, command=printed(run) + " --speedup"))
    small = tsafrir.mix_speedups(lab, "2cs+", mix_loads())
    return points + [
        Point("mix", str(PROCESSORS), n / PROCESSORS, value, command=printed(lab.mix(n, "2cs+")) + " --speedup")
        for n, value in small.items()
    ]


def panels_by_group(y_label: str, styles: dict[str, Style], level: float | None) -> tuple[PanelOf, ...]:
    return tuple(
        PanelOf(g, THREADS, y_label, series(styles, styles.values()), f"{g} grain", level=level)
        for g in GROUPS
    )


STATE_PANEL = PanelOf("states", "steps", "threads of the job", series(STATES, OF_STATE.values()), stacked=True)
FIGURES = (
    PaperFigure(
        "tsafrir-1",
        "Figure 1: SSR of identical jobs under round robin",
        MACHINE,
        tuple(
            PanelOf(
                g,
                THREADS,
                SSR,
                series(map(str, HOMOGENEOUS_SIZES), MANY, lambda size: f"jobs of {size}"),
                f"{g} grain",
                level=50,
                marks=(PROCESSORS, 2 * PROCESSORS),
            )
            for g in GROUPS
        ),
        fig1,
        note="Spinning for CS. Dotted: as many threads as processors, and twice as many.",
    ),
    PaperFigure(
        "tsafrir-2",
        "Figure 2: threads of a 10-thread job, one of 19 of medium grain, round robin",
        MACHINE,
        (STATE_PANEL,),
        lambda campaign: over_time(campaign, fig2_run(Lab(campaign)), 3000),
        panel_inches=(8.4, 3.2),
    ),
    PaperFigure(
        "tsafrir-3",
        "Figure 3: SSR of an 11-thread job beside threads that only compute, Linux 2.2",
        MACHINE,
        (
            PanelOf(
                FINE,
                THREADS,
                SSR,
                series(["cs"], [Style("o", size=2.5)], lambda _: "fine grain, spinning for CS"),
                marks=tuple(range(16, 212, 16)),
            ),
        ),
        fig3,
        note="Dotted: multiples of 16 threads.",
        panel_inches=(8.4, 3.4),
    ),
    PaperFigure(
        "tsafrir-4",
        "Figure 4: threads of the 11-thread job at a load of 96, Linux 2.2",
        MACHINE,
        (STATE_PANEL,),
        fig4,
        note="Around the transition point, if there is one; else the first 3,000 steps.",
        panel_inches=(8.4, 3.2),
    ),
    PaperFigure(
        "tsafrir-5",
        "Figure 5: SSR of the 11-thread job by the time that it spins, Linux 2.2",
        MACHINE,
        panels_by_group(SSR, BY_SPIN, 50),
        fig5,
    ),
    PaperFigure(
        "tsafrir-6",
        "Figure 6: SSR in heterogeneous mixes, spinning for 2CS+, Linux 2.2",
        MACHINE,
        tuple(
            PanelOf(str(seed), THREADS, SSR, series(OF_GROUP, OF_GROUP.values()), f"seed {seed}", level=50)
            for seed in range(1, SHOWN_SEEDS + 1)
        ),
        fig6,
        panel_inches=(3.4, 3.2),
    ),
    PaperFigure(
        "tsafrir-7",
        "Figure 7: an 11-thread job, spinning against blocking at once, Linux 2.2",
        MACHINE,
        panels_by_group(OVER_BLOCK, BY_SPIN, 1),
        fig7,
    ),
    PaperFigure(
        "tsafrir-8",
        "Figure 8: fine-grain jobs in mixes, spinning against blocking",
        MACHINE,
        (PanelOf("mix", THREADS, OVER_BLOCK, series(BY_SPIN, BY_SPIN.values()), level=1, marks=(2 * PROCESSORS,)),),
        fig8,
        note=f"Averages of {MIX_SEEDS} seeds.",
        panel_inches=(6.4, 3.4),
    ),
    PaperFigure(
        "tsafrir-9",
        "Figure 9: the same on larger machines, spinning for 2CS+",
        "32, 128 and 256 processors, CS 6 steps",
        (
            PanelOf(
                "mix",
                "threads a processor",
                OVER_BLOCK,
                series(["32", "128", "256"], MANY, lambda p: f"{p} processors"),
                level=1,
                marks=(1.8,),
            ),
        ),
        fig9,
        panel_inches=(6.4, 3.4),
    ),
)
