"""Peter et al., "Gang scheduling isn't worth it... yet": P1 to P5, on this machine (../gang_experiments.py) and on a
simulated one with the 16 processors of theirs (../gang_simulated.py).

Each is a row of its own with its own verdict. The simulated runs were added after P1 and P4 had been missed on two
processors. P3 is about what switching costs, which only the measured row has: simulated caches are never cold.

What their text leaves open is said in docs/results/notes. `Close` below is one of it: Figure 3 can only be described.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace

import gang_experiments
import gang_simulated
from gang_experiments import Measured, Value, gains, latencies, percentile, rates
from gang_simulated import (
    BURSTS_PER_S,
    INTERVALS_US,
    MOST_BURSTS_PER_S,
    PLAIN,
    PROCESSORS,
    VARIANCES_US,
    Simulation,
    stream_arms,
)

from claims.claim import Context, Found, Rows, Unavailable
from lab.campaign import CampaignError

PROGRAMS = ("gang", "barrier", "stream-clustering", "smp")
CLOSE = 0.25  # two rates that differ by less are close to each other
ONE_SLICE_US = 15000  # of their kernel


def measured(context: Context, name: str) -> Measured:
    """Each experiment once, one run at a time whatever --jobs is: side by side they would measure each other."""
    if gang_experiments.cpus() < 2:
        raise Unavailable("one processor, and a team needs two")
    key = f"peter {name}"
    if key not in context.cache:
        try:
            runner = gang_experiments.Runner(context.build, context.folder)
            context.cache[key] = gang_experiments.measure(runner, name, context.progress)
        except gang_experiments.ExperimentError as error:
            raise CampaignError(str(error)) from None
    return context.cache[key]  # type: ignore[return-value]


def percent(value: float) -> str:
    return f"{100 * (value - 1):+.0f} %"


def listed(found: dict[float, Value]) -> str:
    return ", ".join(f"{percent(value.middle)} at {x:g} us" for x, value in found.items())


def interval(context: Context) -> Found:
    found = gains(measured(context, "interval"), gang_experiments.INTERVALS_US)
    fine, at_slice = found[0].middle - 1, found[ONE_SLICE_US].middle - 1
    return Found(f"gain {listed(found)}", holds=fine > 0 and at_slice < fine / 10, measured=True)


def variance(context: Context) -> Found:
    found = gains(measured(context, "variance"), gang_experiments.VARIANCES_US)
    at_5_ms = 100 * (found[5000].middle - 1)
    # Only a gain that was there can go.
    holds = 1 < found[0].middle > found[5000].middle
    return Found(f"gain {listed(found)}", value=at_5_ms, holds=holds, measured=True)


def batch(context: Context) -> Found:
    """Each batch run had half of the time, so their mean rate is to be compared with the sum of the gang rates."""
    samples = measured(context, "batch")
    pairs = zip(samples[0, "batch"], samples[0, "gang"], strict=True)
    more = [100 * (statistics.fmean(rates(one)) / sum(rates(other)) - 1) for one, other in pairs]
    middle = statistics.median(more)
    return Found(f"{middle:+.1f} ({min(more):+.1f} to {max(more):+.1f})", value=middle, measured=True)


def app2(samples: Measured) -> dict[str, float]:
    return {arm: statistics.median(rates(sample)[1] for sample in found) for (_, arm), found in samples.items()}


def priorities(context: Context) -> Found:
    return replace(priorities_of(app2(measured(context, "priorities"))), measured=True)


def priorities_of(rate: dict[str, float]) -> Found:
    """By what App2 has in each arm."""
    high, long_spin = rate["High"] / rate["Identical"], rate["High 4ms"] / rate["Gang"]
    helps = rate["High 4ms"] > rate["High"]
    text = f"App2 at High {high:.2f} x Identical, High 4ms {long_spin:.2f} x Gang"
    arms = ", ".join(f"{arm} {value:,.0f}" for arm, value in rate.items())
    holds = abs(high - 1) < CLOSE and abs(long_spin - 1) < CLOSE and helps
    return Found(f"{text} (1/s: {arms})", holds=holds)


def growth_told(gang: float, plain: float) -> str:
    return "gang grows less" if gang < plain else "gang does NOT grow less"


def streams(context: Context) -> Found:
    """At the highest rate whose updates the machine can do: they take all processors, one after the other."""
    samples = measured(context, "streams")

    def pooled(bursts: float, arm: str) -> list[float]:
        return sorted(one for sample in samples[bursts, arm] for one in latencies(sample))

    low, *higher = gang_experiments.BURSTS_PER_S
    alone = statistics.median(pooled(low, "plain"))
    high = max((x for x in higher if gang_experiments.STREAMS * x * alone < 1), default=low)

    def spread(arm: str) -> float:
        return 1e3 * (percentile(pooled(high, arm), 0.9) - percentile(pooled(high, arm), 0.1))

    def growth(arm: str) -> float:
        return statistics.fmean(pooled(high, arm)) / statistics.fmean(pooled(low, arm))

    text = f"90 % less 10 % of latencies at {high:g} bursts/s {spread('gang'):.0f} ms, plain {spread('plain'):.0f}"
    told = growth_told(growth("gang"), growth("plain"))
    beside = f"mean at {high:g} over {low:g} bursts/s {growth('gang'):.1f}, plain {growth('plain'):.1f}: {told}"
    return Found(text, holds=spread("gang") < spread("plain"), measured=True, beside=beside)


def listed_simulated(found: dict[str, dict[int, float]]) -> str:
    return "; ".join(
        f"over {plain} " + ", ".join(f"{value:.1f} x at {us:,} us" for us, value in gains.items())
        for plain, gains in found.items()
    )


def simulated_interval(simulation: Simulation) -> Found:
    """Without gangs, their slices or today's kernel: it must hold against both."""
    found = {plain: {us: one[0] for us, one in simulation.interval(plain).items()} for plain in PLAIN}
    fine, at_slice = INTERVALS_US[0], INTERVALS_US[-1]
    holds = all(one[fine] > 1 and one[at_slice] - 1 < (one[fine] - 1) / 10 for one in found.values())
    return Found(f"App1 {listed_simulated(found)}", holds=holds)


def simulated_variance(simulation: Simulation) -> Found:
    found = {plain: {us: one[0] for us, one in simulation.variance(plain).items()} for plain in PLAIN}
    none, most = VARIANCES_US[0], VARIANCES_US[-1]
    holds = all(1 < one[none] > one[most] for one in found.values())
    values = tuple(100 * (one[most] - 1) for one in found.values())
    return Found(f"App1 {listed_simulated(found)}", values=values, holds=holds)


def simulated_batch(simulation: Simulation) -> Found:
    more = simulation.batch()
    return Found(f"{more:+.3f}, of switching alone", value=more)


def simulated_priorities(simulation: Simulation) -> Found:
    """Under CFS, the paper's scheduler; what else is open about it, and today's EEVDF, is shown beside."""

    def under(kernel: str) -> Found:
        found = simulation.priorities(kernel)
        return priorities_of({arm: statistics.median(one[1] for one in rates) for arm, rates in found.items()})

    first, *others = gang_simulated.KERNELS
    beside = "; ".join(f"{kernel}: {under(kernel).text.partition(' (1/s')[0]}" for kernel in others)
    return replace(under(first), beside=beside)


def simulated_streams(simulation: Simulation) -> Found:
    """At the highest rate below the capacity, with the waiting that the paper tells of; the other reading is shown as
    well. Today's EEVDF is nearer to the paper's Linux than round robin."""
    texts, besides, holds = [], [], {}
    for work in gang_simulated.WORKS:
        arms = stream_arms(work)
        low, high = BURSTS_PER_S[0], MOST_BURSTS_PER_S[work]
        found = iter(simulation.streams([(*arms[arm], x) for arm in arms for x in (low, high)]))
        by_arm = {arm: (next(found), next(found)) for arm in arms}
        spread = {arm: at_high.spread for arm, (_, at_high) in by_arm.items()}
        growth = {arm: at_high.mean / at_low.mean for arm, (at_low, at_high) in by_arm.items()}
        holds[work] = spread["gang"] < spread["EEVDF"]
        spreads = ", ".join(f"{arm} {value:.1f} s" for arm, value in spread.items())
        growths = ", ".join(f"{arm} {value:.1f}" for arm, value in growth.items())
        texts.append(f"work {work}: 90 % less 10 % of latencies at {high:g} bursts/s {spreads}")
        told = growth_told(growth["gang"], growth["EEVDF"])
        besides.append(f"work {work}: mean at {high:g} over {low:g} bursts/s {growths}: {told}")
    return Found("; ".join(texts), holds=holds["as published"], beside="; ".join(besides))


def both(measure: Callable[[Context], Found], simulate: Callable[[Simulation], Found]) -> Callable[[Context], Rows]:
    """A row each."""

    def found(context: Context) -> Rows:
        simulated = simulate(Simulation(context.campaign))
        simulated = replace(simulated, text=f"{simulated.text} (simulated, {PROCESSORS} processors)")
        try:
            return simulated, measure(context)
        except Unavailable as error:
            return simulated, error

    return found


# What is measured here, alone.
MEASURED: dict[str, Callable[[Context], Found]] = {
    "P1": interval,
    "P2": variance,
    "P3": batch,
    "P4": priorities,
    "P5": streams,
}
SIMULATED: dict[str, Callable[[Simulation], Found]] = {
    "P1": simulated_interval,
    "P2": simulated_variance,
    "P3": simulated_batch,
    "P4": simulated_priorities,
    "P5": simulated_streams,
}
REPRODUCED: dict[str, Callable[[Context], Rows]] = {
    name: both(measure, SIMULATED[name]) for name, measure in MEASURED.items()
}
