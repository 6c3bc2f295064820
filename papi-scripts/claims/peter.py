"""Peter et al., "Gang scheduling isn't worth it... yet": P1 to P5, measured on this machine (../gang_experiments.py).

What their text leaves open is said in docs/reproduction.md. `Close` below is one of it: Figure 3 can only be described.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import gang_experiments
from campaign import CampaignError
from gang_experiments import Measured, Value, gains, latencies, percentile, rates

from claims.claim import Context, Found, Unavailable

PROGRAMS = ("gang", "barrier", "stream-clustering")
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
    """Each batch run had half of the time, so their mean rate is to be compared with the sum of the rates in turns."""
    samples = measured(context, "batch")
    pairs = zip(samples[0, "batch"], samples[0, "gang"], strict=True)
    more = [100 * (statistics.fmean(rates(one)) / sum(rates(other)) - 1) for one, other in pairs]
    middle = statistics.median(more)
    return Found(f"{middle:+.1f} ({min(more):+.1f} to {max(more):+.1f})", value=middle, measured=True)


def app2(samples: Measured) -> dict[str, float]:
    return {arm: statistics.median(rates(sample)[1] for sample in found) for (_, arm), found in samples.items()}


def priorities(context: Context) -> Found:
    rate = app2(measured(context, "priorities"))
    high, long_spin = rate["High"] / rate["Identical"], rate["High 4ms"] / rate["Gang"]
    helps = rate["High 4ms"] > rate["High"]
    text = f"App2 at High {high:.2f} x Identical, High 4ms {long_spin:.2f} x Gang"
    arms = ", ".join(f"{arm} {value:,.0f}" for arm, value in rate.items())
    holds = abs(high - 1) < CLOSE and abs(long_spin - 1) < CLOSE and helps
    return Found(f"{text} (1/s: {arms})", holds=holds, measured=True)


def streams(context: Context) -> Found:
    samples = measured(context, "streams")
    low, high = gang_experiments.BURSTS_PER_S[0], gang_experiments.BURSTS_PER_S[-1]

    def pooled(bursts: float, arm: str) -> list[float]:
        return sorted(one for sample in samples[bursts, arm] for one in latencies(sample))

    def spread(bursts: float, arm: str) -> float:
        return 1e3 * (percentile(pooled(bursts, arm), 0.9) - percentile(pooled(bursts, arm), 0.1))

    def growth(arm: str) -> float:
        return statistics.fmean(pooled(high, arm)) / statistics.fmean(pooled(low, arm))

    text = (
        f"90 % less 10 % of latencies at {high:g} bursts/s "
        f"{spread(high, 'gang'):.0f} ms, plain {spread(high, 'plain'):.0f}; "
        f"mean at {high:g} over {low:g} bursts/s {growth('gang'):.1f}, plain {growth('plain'):.1f}"
    )
    holds = spread(high, "gang") < spread(high, "plain") and growth("gang") < growth("plain")
    return Found(text, holds=holds, measured=True)


REPRODUCED: dict[str, Callable[[Context], Found]] = {
    "P1": interval,
    "P2": variance,
    "P3": batch,
    "P4": priorities,
    "P5": streams,
}
