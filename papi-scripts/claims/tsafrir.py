"""Tsafrir, Feitelson: barriers on a loaded SMP with two-phase waiting, in the SMP simulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from claims.claim import Context, Found
from claims.tsafrir_runs import (
    BLOCK,
    FINE,
    MEDIUM,
    MIX_SEEDS,
    MOST_MIX_THREADS,
    PROCESSORS,
    SINGLE_SIZE,
    SPINS,
    Lab,
    average_deviation,
    mean,
    mix_loads,
    number,
    of_group,
    ssr_of,
)
from claims.tsafrir_states import alternation, fig2_run, fig4_run, transition
from lab.campaign import Run

PROGRAMS = ("smp",)
FLAT = 5.0  # percentage points: of each load from the mean of its line
NOT_WORTH = 50.0  # an SSR, by the paper's rule of thumb
GROUPS = (FINE, MEDIUM)
PAIR_SIZES = (18, 22, 26, 30)  # more than half the processors
WAKE_SIZES = (11, 22, 32)
WAKE_LOADS = (22, 54, 86, 118, 150, 182)
BIGGER = (128, 256)
BIGGER_LOADS = (0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 1.75, 1.9, 2.1, 2.4)
BIGGER_FEW_LOADS = (1.6, 1.75)  # where lab.every asks for fewer
BIGGER_SEEDS = 2
SPINNING_PAYS_BELOW = 1.8  # threads a processor


def homogeneous_ssr(lab: Lab, granularity: str) -> dict[int, dict[int, float]]:
    """Under round robin: SSR by the jobs' size and the number of threads."""
    runs = {size: lab.homogeneous("rr", granularity, size) for size in lab.sizes}
    lab.rows([run for of_size in runs.values() for _, run in of_size])
    return {
        size: {
            threads: ssr_of(rows) for (threads, _), rows in zip(some, lab.rows([run for _, run in some]), strict=True)
        }
        for size, some in runs.items()
    }


def above_twice(lab: Lab) -> Found:
    means, flat, texts = [], True, []
    for granularity in GROUPS:
        for size, line in homogeneous_ssr(lab, granularity).items():
            values = [ssr for threads, ssr in line.items() if threads > 2 * PROCESSORS]
            means.append(mean(values))
            flat = flat and all(abs(value - means[-1]) <= FLAT for value in values)
            texts.append(f"{granularity} of {size} {means[-1]:.0f}")
    return Found(f"{'; '.join(texts)}; {'flat' if flat else 'not flat'}", values=means, holds=flat)


def up_to_twice(lab: Lab) -> Found:
    """The SSR of all loads in between, of both granularities."""
    values = [
        ssr
        for granularity in GROUPS
        for line in homogeneous_ssr(lab, granularity).values()
        for threads, ssr in line.items()
        if PROCESSORS < threads <= 2 * PROCESSORS
    ]
    above = sum(value > NOT_WORTH for value in values)
    text = f"{mean(values):.0f} on average; above 50 at {above} of {len(values)} points"
    return Found(text, value=mean(values), holds=2 * above > len(values))


def single_ssr(lab: Lab, granularity: str, policy: str) -> dict[int, float]:
    """By the number of threads in all."""
    loads = lab.single_loads(granularity, policy)
    tables = lab.rows([lab.single(granularity, policy, threads - SINGLE_SIZE) for threads in loads])
    return {threads: ssr_of(rows) for threads, rows in zip(loads, tables, strict=True)}


def multiples_of_16(lab: Lab) -> Found:
    line = {threads: ssr for threads, ssr in single_ssr(lab, FINE, "cs").items() if threads > PROCESSORS}
    at = [ssr for threads, ssr in line.items() if threads % 16 == 0]
    elsewhere = [ssr for threads, ssr in line.items() if threads % 16 != 0]
    text = f"{mean(at):.0f} at multiples of 16 ({min(at):.0f} to {max(at):.0f}), {mean(elsewhere):.0f} elsewhere"
    alone = single_ssr(lab, FINE, "cs").get(PROCESSORS, float("nan"))
    text += f" ({min(elsewhere):.0f} to {max(elsewhere):.0f}); with 32 threads {alone:.0f}"
    return Found(text, values=(mean(at), mean(elsewhere)))


def average_ssr(lab: Lab) -> Found:
    values = [list(single_ssr(lab, granularity, "2cs+").values()) for granularity in GROUPS]
    text = " and ".join(f"{mean(some):.0f} +- {average_deviation(some):.0f}" for some in values)
    return Found(text, values=[mean(some) for some in values])


def order_of_spins(lab: Lab) -> Found:
    """Each policy's average over the same loads."""
    found = {
        g: [mean(single_ssr(lab, g, policy)[n] for n in lab.single_loads(g, BLOCK)) for policy in SPINS] for g in GROUPS
    }
    text = "; ".join(f"{g} {' < '.join(f'{value:.0f}' for value in values)}" for g, values in found.items())
    return Found(text, holds=all(a < b < c for a, b, c in found.values()))


def wake_up_runs(lab: Lab, wake_up: str) -> list[tuple[str, Run]]:
    """The mixes that the paper names: one job and a backdrop, and two jobs of more than half the processors."""
    found = []
    for policy in ("cs", "2cs+"):
        for granularity in GROUPS:
            for size in WAKE_SIZES:
                for others in WAKE_LOADS[:: lab.every]:
                    run = lab.single(granularity, policy, others, size, wake_up)
                    found.append((f"{granularity} job of {size}, {policy}, {others} others", run))
            for size in PAIR_SIZES:
                found.append(
                    (f"two {granularity} jobs of {size}, {policy}", lab.pair(policy, size, granularity, wake_up))
                )
    return found


def wake_up_speedups(lab: Lab, wake_up: str, over: str) -> dict[str, float]:
    runs = {name: wake_up_runs(lab, name) for name in (wake_up, over)}
    lab.rows([run for some in runs.values() for _, run in some])
    times = {
        name: [number(rows[0], "completion") for rows in lab.rows([run for _, run in some])]
        for name, some in runs.items()
    }
    return {what: b / a for (what, _), a, b in zip(runs[over], times[wake_up], times[over], strict=True)}


def assigned_processors(lab: Lab) -> Found:
    speedups = wake_up_speedups(lab, "ap", "original")
    best = max(speedups, key=speedups.__getitem__)
    text = f"{speedups[best]:.2f} at best ({best}); {mean(speedups.values()):.2f} on average of {len(speedups)} mixes"
    return Found(text, value=speedups[best])


def global_view(lab: Lab) -> Found:
    """Differs little: on average by at most a tenth, either way."""
    speedups = wake_up_speedups(lab, "gv", "ap")
    off = mean(abs(value - 1) for value in speedups.values())
    worst = max(speedups, key=lambda what: abs(speedups[what] - 1))
    near = sum(abs(value - 1) <= 0.1 for value in speedups.values())
    text = f"{100 * off:.0f} % off on average, {mean(speedups.values()):.2f} over AP; within 10 % in {near} of"
    text += f" {len(speedups)} mixes; furthest {speedups[worst]:.2f} ({worst})"
    return Found(text, holds=off <= 0.1)


def mix_ssr(lab: Lab, policy: str = "2cs+") -> dict[str, dict[str, dict[int, float]]]:
    """In heterogeneous mixes: SSR by granularity, seed and number of threads."""
    loads = mix_loads()
    found: dict[str, dict[str, dict[int, float]]] = {}
    for threads, rows in zip(loads, lab.rows([lab.mix(threads, policy) for threads in loads]), strict=True):
        for row in rows:
            found.setdefault(row["group"], {}).setdefault(row["seed"], {})[threads] = number(row, "ssr")
    return found


def tolerated(line: dict[int, float]) -> float:
    """Threads beyond the processors up to which the SSR stays above 50 %; NaN where no such job is in the mix up to
    twice the processors."""
    known = {threads: ssr for threads, ssr in sorted(line.items()) if ssr == ssr}
    if not known or min(known) > 2 * PROCESSORS:
        return float("nan")
    last = 0
    for threads, ssr in known.items():
        if ssr <= NOT_WORTH and threads > PROCESSORS:
            break
        last = threads
    return max(0, last - PROCESSORS)


def extra_threads(lab: Lab) -> Found:
    ssr = mix_ssr(lab)
    values = [[tolerated(line) for line in ssr.get(granularity, {}).values()] for granularity in GROUPS]
    text = " and ".join(f"{mean(some):.0f} +- {average_deviation(some):.0f}" for some in values)
    return Found(f"{text} (searched up to {MOST_MIX_THREADS} threads)", values=[mean(some) for some in values])


def single_speedups(lab: Lab, granularity: str, policy: str) -> dict[int, float]:
    """Over always-block, by the number of threads."""
    loads = lab.single_loads(granularity, BLOCK)
    tables = [lab.rows([lab.single(granularity, p, n - SINGLE_SIZE) for n in loads]) for p in (policy, BLOCK)]
    times = [[number(rows[0], "completion") for rows in some] for some in tables]
    return {n: block / spin for n, spin, block in zip(loads, *times, strict=True)}


def single_over_block(lab: Lab) -> Found:
    values = [list(single_speedups(lab, granularity, "2cs+").values()) for granularity in GROUPS]
    text = " and ".join(f"{mean(some):.2f} +- {average_deviation(some):.2f}" for some in values)
    return Found(text, values=[mean(some) for some in values])


def mix_speedups(
    lab: Lab, policy: str, loads: Sequence[int], processors: int = PROCESSORS, seeds: int = MIX_SEEDS, group: str = FINE
) -> dict[int, float]:
    """Over always-block, of the jobs of a granularity, by the number of threads; of all seeds together."""
    tables = [lab.rows([lab.mix(n, p, seeds, processors) for n in loads]) for p in (policy, BLOCK)]
    found = {}
    for n, spin, block in zip(loads, *tables, strict=True):
        pairs = zip(of_group(spin, group), of_group(block, group), strict=True)
        found[n] = mean(number(b, "completion") / number(a, "completion") for a, b in pairs)
    return {n: value for n, value in found.items() if value == value}


def mix_over_block(lab: Lab) -> Found:
    loads = [n for n in mix_loads() if n <= 2 * PROCESSORS]
    values = list(mix_speedups(lab, "2cs+", loads).values())
    return Found(f"{mean(values):.2f} +- {average_deviation(values):.2f}", value=mean(values))


def bigger_speedups(lab: Lab, processors: int) -> dict[float, float]:
    """By threads a processor."""
    shares, seeds = (BIGGER_LOADS, BIGGER_SEEDS) if lab.every == 1 else (BIGGER_FEW_LOADS, 1)
    loads = {share: round(share * processors) for share in shares}
    found = mix_speedups(lab, "2cs+", list(loads.values()), processors, seeds)
    return {share: found[n] for share, n in loads.items() if n in found}


def bigger_machines(lab: Lab) -> Found:
    holds, texts = True, []
    for processors in BIGGER:
        line = bigger_speedups(lab, processors)
        below = [value for share, value in line.items() if share < SPINNING_PAYS_BELOW]
        holds = holds and min(below) > 1
        texts.append(f"{processors}: {min(below):.2f} to {max(below):.2f} below 1.8 x")
        if max(line) > SPINNING_PAYS_BELOW:
            texts[-1] += f", {line[max(line)]:.2f} at {max(line):g} x"
    return Found("; ".join(texts), holds=holds)


def visible_patterns(lab: Lab) -> Found:
    """As numbers: whether most waits alternate, and whether there is a point after which no thread blocks any more."""
    two, four = alternation(lab, fig2_run(lab)), transition(lab, fig4_run(lab))
    text = f"Figure 2: {two.text}; Figure 4: {four.text}"
    return Found(text, holds=two.holds and four.holds)


def with_lab(function: Callable[[Lab], Found]) -> Callable[[Context], Found]:
    return lambda context: function(Lab(context.campaign))


CLAIMS: dict[str, Callable[[Lab], Found]] = {
    "T1": above_twice,
    "T2": up_to_twice,
    "T3": multiples_of_16,
    "T4": average_ssr,
    "T5": order_of_spins,
    "T6": assigned_processors,
    "T7": global_view,
    "T8": extra_threads,
    "T9": single_over_block,
    "T10": mix_over_block,
    "T11": bigger_machines,
    "T12": visible_patterns,
}
REPRODUCED = {name: with_lab(function) for name, function in CLAIMS.items()}
