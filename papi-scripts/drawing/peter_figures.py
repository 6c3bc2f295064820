"""Peter et al.'s Figures 2 to 4, from the runs of their claims: measured on the machine that draws them, Figure 4 also
simulated."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Callable

import gang_experiments
from gang_experiments import Measured, Value, gains, latencies, percentile, rates, value_of
from gang_simulated import BURSTS_PER_S, PLAIN, PROCESSORS, WORKS, Simulation, stream_arms

from drawing.series import PanelOf, PaperFigure, Point, SeriesOf
from drawing.styles import Style
from lab.campaign import Campaign, CampaignError
from lab.machine import cpus, processor

COMMAND = "papi-scripts/gang_experiments.py --only "
SPIN = "barriers spin for 50 us, then block"
KERNEL, GANG = Style("o", (0, (5, 2)), 0.3), Style("D", "-", 0.0, filled=True, size=4.5)
SIMULATED = dict(zip((*PLAIN, "gang"), (KERNEL, Style("s", (0, (1, 1.5)), 0.5), GANG), strict=True))
ARMS = ("Identical", "High", "High 4ms", "Gang", "GangHi")


def machine() -> str:
    """Of the machine that draws; drawn again from a CSV, it is the CSV's."""
    return f"{cpus()} CPUs, {processor()}, Linux {platform.release()}"


def measured(campaign: Campaign, name: str) -> Measured:
    try:
        runner = gang_experiments.Runner(campaign.build, campaign.folder)
        return gang_experiments.measure(runner, name, campaign.progress)
    except gang_experiments.ExperimentError as error:
        raise CampaignError(str(error)) from None


def point(panel: str, series: str, x: float, value: Value, experiment: str) -> Point:
    return Point(panel, series, x, value.middle, value.least, value.most, COMMAND + experiment)


def fig2(campaign: Campaign) -> list[Point]:
    points = []
    for panel, xs in (("interval", gang_experiments.INTERVALS_US), ("variance", gang_experiments.VARIANCES_US)):
        found = gains(measured(campaign, panel), xs)
        points += [point(panel, "gain", max(x, 1), value, panel) for x, value in found.items()]
    return points


def fig3(campaign: Campaign) -> list[Point]:
    by_arm = {arm: samples for (_, arm), samples in measured(campaign, "priorities").items()}
    points = []
    for x, arm in enumerate(ARMS):
        samples = [rates(sample) for sample in by_arm[arm]]
        sums: dict[str, Callable[[list[float]], float]] = {"App1": lambda r: r[0], "App2": lambda r: r[1], "both": sum}
        for series, part in sums.items():
            points.append(point("rates", series, x, value_of([part(r) for r in samples]), "priorities"))
    return points


def fig4(campaign: Campaign) -> list[Point]:
    points = []
    for (bursts, arm), samples in measured(campaign, "streams").items():
        every = sorted(one for sample in samples for one in latencies(sample))
        if not every:
            continue
        value = Value(1e3 * statistics.fmean(every), 1e3 * percentile(every, 0.1), 1e3 * percentile(every, 0.9))
        points.append(point("latency", arm, bursts, value, "streams"))
    return points


def fig4_simulated(campaign: Campaign) -> list[Point]:
    points = []
    simulation = Simulation(campaign)
    for work in WORKS:
        for arm, (kind, settings) in stream_arms(work).items():
            found = simulation.streams([(kind, settings, bursts) for bursts in BURSTS_PER_S])
            command = "papi-scripts/gang_simulated.py --only streams"
            for bursts, one in zip(BURSTS_PER_S, found, strict=True):
                points.append(Point(work, arm, bursts, one.mean, one.p10, one.p90, command))
    return points


def gain_panel(name: str, x_label: str) -> PanelOf:
    gain = SeriesOf("gain", GANG, "App1 in gang slices over App1 without")
    return PanelOf(name, x_label, "iterations, times plain", (gain,), level=1.0, log_x=True)


MACHINE = machine()
FIGURES = [
    PaperFigure(
        "peter-2",
        "Peter et al., Figure 2: what gang scheduling gains",
        MACHINE,
        (
            gain_panel("interval", "synchronization interval of App1, us (0 at 1)"),
            gain_panel("variance", "variance of App1, us (0 at 1)"),
        ),
        fig2,
        "measured",
        f"Two BARRIER programs, App2 with interval 0; {SPIN}; medians, least and most of 3.",
    ),
    PaperFigure(
        "peter-3",
        "Peter et al., Figure 3: priorities for App2",
        MACHINE,
        (
            PanelOf(
                "rates",
                "",
                "iterations/s",
                (
                    SeriesOf("App1", Style("o", "none", 0.3, size=6.0)),
                    SeriesOf("App2", Style("D", "none", 0.0, filled=True, size=5.5)),
                    SeriesOf("both", Style("s", "none", 0.55, size=6.5)),
                ),
                x_names=ARMS,
            ),
        ),
        fig3,
        "measured",
        f"Two BARRIER programs with interval 0; {SPIN}, or for 4 ms; High is nice {gang_experiments.HIGH_NICE}; "
        "GangHi: App2's slices are twice as long. Medians, least and most of 3.",
        panel_inches=(6.4, 3.4),
    ),
    PaperFigure(
        "peter-4",
        "Peter et al., Figure 4: stream clustering",
        MACHINE,
        (
            PanelOf(
                "latency",
                "bursts a second, of each stream",
                "latency of an update, ms",
                (SeriesOf("plain", KERNEL, "kernel's scheduler"), SeriesOf("gang", GANG, "gang")),
            ),
        ),
        fig4,
        "measured",
        f"{gang_experiments.STREAMS} streams, our own clustering; {SPIN}; means, bars from 10 % to 90 % of updates.",
        panel_inches=(6.4, 3.4),
    ),
    PaperFigure(
        "peter-4-simulated",
        f"Peter et al., Figure 4 on {PROCESSORS} simulated processors: four streams, teams of 8",
        f"bin/smp, {PROCESSORS} processors",
        tuple(
            PanelOf(
                work,
                "bursts a second, of each stream",
                "latency of an update, s",
                tuple(SeriesOf(arm, style) for arm, style in SIMULATED.items()),
                title=f"work {work}",
            )
            for work in WORKS
        ),
        fig4_simulated,
        note=f"{SPIN[0].upper()}{SPIN[1:]}; means, bars from 10 % to 90 % of updates; docs/results/notes has what is"
        " assumed.",
    ),
]
