"""Arpaci-Dusseau, Culler: a cooperative approach to two-phase waiting, in the cluster simulator, with their 20 s."""

from __future__ import annotations

from collections.abc import Callable

from cluster_runs import BULK, CONTINUOUS, READ_US, Clusters, Waiting, Workload, triggered_us

from claims.claim import Context, Found

PROGRAMS = ("cluster",)
SWITCHES_US = (50.0, 200.0)
PROGRAMS_US = (10.0, 50.0, 100.0, 500.0, 1000.0, 2000.0)  # c
SEEDS = 3  # of the short list of claims 1 to 4
# The worst program of figure 4, and fixed spins around its best.
WORST = Workload(CONTINUOUS, 200, 10)
FIXED_US = (20, 100, 220, 320, 420, 620, 1020, 1520, 2020)
# S_cond as multiples of W, from where little is gained to where much is lost.
CONDITIONALS = (0.5, 1, 1.5, 2, 3, 4, 6, 9, 12)
BULK_WORST = Workload(BULK, 200, 100)


def baseline(switch_us: float, read_us: float | None = None, conditional_us: float = 0.0) -> Waiting:
    """S_Base at barriers, and at reads unless said otherwise."""
    spin = triggered_us(switch_us)
    return Waiting(spin if read_us is None else read_us, spin, conditional_us)


def bulk(context: Context, read_us: float) -> Found:
    clusters = Clusters(context.campaign, SEEDS)
    waiting = Waiting(0, 0) if read_us == 0 else baseline(BULK_WORST.switch_us, read_us)
    clusters.prepare([(BULK_WORST, waiting)])
    found = clusters.slowdowns(BULK_WORST, waiting)
    mean = sum(found) / len(found)
    return Found(f"{mean:.2f} ({min(found):.2f} to {max(found):.2f}, {SEEDS} seeds)", value=mean)


def successes(context: Context) -> Found:
    clusters = Clusters(context.campaign, SEEDS)
    both = [baseline(BULK_WORST.switch_us, read_us) for read_us in (READ_US, triggered_us(BULK_WORST.switch_us))]
    clusters.prepare((BULK_WORST, waiting) for waiting in both)
    percents = [clusters.column(BULK_WORST, waiting, "reads_spinning_percent") for waiting in both]
    return Found(f"{percents[0]:.1f} and {percents[1]:.2f}", values=percents)


def best_fixed(context: Context) -> Found:
    clusters = Clusters(context.campaign)
    cells = [baseline(WORST.switch_us, spin) for spin in FIXED_US]
    clusters.prepare((WORST, waiting) for waiting in cells)
    found = {waiting.read_us: clusters.slowdown(WORST, waiting) for waiting in cells}
    spin = min(found, key=found.__getitem__)
    at_trigger = found[triggered_us(WORST.switch_us)]
    text = f"{found[spin]:.2f} at {spin:g} us for c = 10 us, W = 200 us ({at_trigger:.2f} at 2L + W)"
    return Found(text, value=found[spin])


def workloads() -> list[Workload]:
    return [Workload(CONTINUOUS, switch_us, every_us) for switch_us in SWITCHES_US for every_us in PROGRAMS_US]


def conditional(workload: Workload, multiple: float) -> Waiting:
    return baseline(workload.switch_us, None, multiple * workload.switch_us)


def derived(context: Context) -> Found:
    clusters = Clusters(context.campaign)
    cells = [(workload, conditional(workload, 3)) for workload in workloads()]
    clusters.prepare(cells)
    found = [clusters.slowdown(*cell) for cell in cells]
    worst = cells[found.index(max(found))][0]
    text = f"{min(found):.2f} to {max(found):.2f}, most at c = {worst.every_us:g} us, W = {worst.switch_us:g} us"
    return Found(text, values=found)


def against_best(context: Context) -> Found:
    clusters = Clusters(context.campaign)
    clusters.prepare((one, conditional(one, multiple)) for one in workloads() for multiple in CONDITIONALS)
    ratios = []
    for one in workloads():
        found = [clusters.slowdown(one, conditional(one, multiple)) for multiple in CONDITIONALS]
        ratios.append(found[CONDITIONALS.index(3)] / min(found))
    worst = workloads()[ratios.index(max(ratios))]
    text = f"{max(ratios):.2f} at most, at c = {worst.every_us:g} us, W = {worst.switch_us:g} us"
    return Found(text, values=ratios)


REPRODUCED: dict[str, Callable[[Context], Found]] = {
    "A1": lambda context: bulk(context, 0),
    "A2": lambda context: bulk(context, READ_US),
    "A3": lambda context: bulk(context, triggered_us(BULK_WORST.switch_us)),
    "A4": successes,
    "A5": best_fixed,
    "A6": derived,
    "A7": against_best,
}
