"""Arpaci-Dusseau and Culler's Figures 3 to 5: slowdown against explicit coscheduling over the time to spin."""

from __future__ import annotations

from collections.abc import Callable

from cluster_runs import BULK, CONTINUOUS, Clusters, Waiting, Workload, shown, triggered_us

from drawing.series import PanelOf, PaperFigure, Point, SeriesOf
from drawing.styles import Style
from lab.campaign import Campaign

SWITCHES_US = (50, 200)
READ_SPINS_US = (1, 2, 5, 10, 19, 20, 30, 50, 70, 100, 150, 220, 300, 500, 700, 1000)
CONDITIONALS_US = (10, 25, 50, 70, 100, 150, 220, 300, 450, 600, 900, 1200, 1800, 2400)
EVERY_US = {BULK: (100, 1000), CONTINUOUS: (10, 50, 100, 500, 1000, 2000)}
# Of each job, where the paper has 20: docs/results/notes says what that changes.
DEDICATED_S = 5.0
LOOKS = (
    Style("o"),
    Style("s", (0, (5, 2))),
    Style("^", (0, (5, 1.5, 1, 1.5)), 0.25),
    Style("D", "-", 0.45, filled=True, size=4.5),
    Style("v", (0, (1, 1.2)), 0.0, width=1.4),
    Style("X", (0, (8, 2)), 0.0, filled=True, size=5.5),
)


def duration(us: float) -> str:
    return f"{us / 1000:g} ms" if us >= 1000 else f"{us:g} µs"


def panels(style: str, x_label: str, mark: Callable[[float], float]) -> tuple[PanelOf, ...]:
    name = "C" if style == BULK else "c"
    lines = tuple(
        SeriesOf(f"{every:g}", look, f"{name} = {duration(every)}")
        for every, look in zip(EVERY_US[style], LOOKS, strict=False)
    )
    return tuple(
        PanelOf(
            f"W = {switch_us} us",
            x_label,
            "slowdown",
            lines,
            f"W = {switch_us} µs",
            level=1.0,
            marks=(mark(switch_us),),
            log_x=True,
        )
        for switch_us in SWITCHES_US
    )


def points(
    campaign: Campaign, style: str, waiting: Callable[[float, float], Waiting], xs: tuple[int, ...]
) -> list[Point]:
    clusters = Clusters(campaign)
    cells = [
        (switch_us, x, Workload(style, switch_us, every, DEDICATED_S), waiting(switch_us, x))
        for switch_us in SWITCHES_US
        for every in EVERY_US[style]
        for x in xs
    ]
    clusters.prepare(cell[2:] for cell in cells)
    return [
        Point(
            f"W = {switch_us} us",
            f"{workload.every_us:g}",
            x,
            clusters.slowdown(workload, one),
            command=shown(clusters.run_of(workload, one)),
        )
        for switch_us, x, workload, one in cells
    ]


def read_spin(switch_us: float, x: float) -> Waiting:
    return Waiting(x, triggered_us(switch_us))


def conditional_spin(switch_us: float, x: float) -> Waiting:
    return Waiting(triggered_us(switch_us), triggered_us(switch_us), x)


MACHINE = "32 workstations, L = 10 µs, bin/cluster"
NOTE = (
    f"Three jobs of 32 processes, {DEDICATED_S:g} s each in a dedicated machine. Slowdown: the time to complete them"
    " all, against the same command with --set scheduler.policy=explicit. The vertical line: "
)
FIGURES = (
    PaperFigure(
        "arpaci-3",
        "Figure 3: read baseline spin, bulk-synchronous programs",
        MACHINE,
        panels(BULK, "read baseline spin, µs", triggered_us),
        lambda campaign: points(campaign, BULK, read_spin, READ_SPINS_US),
        note=NOTE + "2L + W.",
    ),
    PaperFigure(
        "arpaci-4",
        "Figure 4: read baseline spin, continuous communication",
        MACHINE,
        panels(CONTINUOUS, "read baseline spin, µs", triggered_us),
        lambda campaign: points(campaign, CONTINUOUS, read_spin, READ_SPINS_US),
        note=NOTE + "2L + W.",
    ),
    PaperFigure(
        "arpaci-5",
        "Figure 5: conditional spin, continuous communication",
        MACHINE,
        panels(CONTINUOUS, "conditional spin, µs", lambda switch_us: 3 * switch_us),
        lambda campaign: points(campaign, CONTINUOUS, conditional_spin, CONDITIONALS_US),
        note=NOTE + "3W.",
    ),
)
