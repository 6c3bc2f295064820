"""Which cases a run takes: a sample, or the enumeration in its stages."""

from __future__ import annotations

import random
import zlib
from argparse import Namespace
from collections.abc import Iterator

from plan import CONTEXTS, MODES, RUNTIMES, STEPS, VARIANTS, Case, case_of, covering, is_allowed, sequences

LONGEST = 4
DEEP_CONTEXTS = ("root", "task")  # of which all of length three are run


def in_share(share: str, text: str) -> bool:
    """`2/5`: the second of five parts of everything."""
    number, parts = map(int, share.split("/"))
    return zlib.crc32(text.encode()) % parts == number - 1


def runtimes_of(arguments: Namespace, variant: str) -> list[str]:
    """Empty: one for each case, drawn."""
    if arguments.every_runtime:
        return list(RUNTIMES[variant])
    return [name for name in arguments.runtime if name in RUNTIMES[variant]] or [""]


def _product(arguments: Namespace, variants: list[str], contexts: list[str], modes: list[str],
             lengths: list[int]) -> Iterator[Case]:  # fmt: skip
    """Shorter ones first, since what contains a failing sequence is left out afterwards."""
    for steps in sequences(lengths):
        for context in contexts:
            for variant in variants:
                for mode in modes:
                    yield from _placed(arguments, variant, context, mode, steps)


def _placed(arguments: Namespace, variant: str, context: str, mode: str, steps: tuple[str, ...]) -> Iterator[Case]:
    for runtime in runtimes_of(arguments, variant):
        case = case_of(arguments.seed, variant, mode, context, steps, runtime)
        if is_allowed(steps, context, variant, case.runtime) and not set(arguments.without).intersection(steps):
            yield case


def enumeration(arguments: Namespace) -> Iterator[Case]:
    """Lengths one and two everywhere, three at the root and in tasks, four by a covering design."""
    variants = arguments.variant or list(VARIANTS)
    contexts = arguments.context or list(CONTEXTS)
    modes = arguments.mode or list(MODES)
    lengths = arguments.lengths
    everything = [_product(arguments, variants, contexts, modes, [length for length in lengths if length <= 2])]
    deep = [context for context in contexts if context in DEEP_CONTEXTS or arguments.context]
    if 3 in lengths:
        everything.append(_product(arguments, variants, deep, modes[:1], [3]))
    if 4 in lengths:
        everything.append(_fours(arguments, variants, deep, modes[0]))
    for cases in everything:
        yield from (case for case in cases if in_share(arguments.share, str(case)))


def _fours(arguments: Namespace, variants: list[str], contexts: list[str], mode: str) -> Iterator[Case]:
    chance = random.Random(f"four {arguments.seed}")
    for context in contexts:
        for variant in variants:
            for steps in covering(context, variant, "", chance):
                yield from _placed(arguments, variant, context, mode, steps)


def sample(arguments: Namespace, shape: str, count: int) -> Iterator[Case]:
    """Drawn by the seed, contexts and variants alternate."""
    chance = random.Random(f"sample {shape} {arguments.seed}")
    contexts = arguments.context or list(CONTEXTS)
    variants = arguments.variant or list(VARIANTS)
    modes = arguments.mode or ["on", "on", "on", "auto"]
    number = 0
    while number < count:
        context, variant = contexts[number % len(contexts)], variants[number // len(contexts) % len(variants)]
        steps = tuple(chance.choice(STEPS) for _ in range(chance.randint(2, LONGEST)))
        runtime = chance.choice(runtimes_of(arguments, variant))
        case = case_of(arguments.seed, variant, chance.choice(modes), context, steps, runtime, shape)
        if variant == "gcc" and context.startswith("target"):
            number += 1
        elif is_allowed(steps, context, variant, case.runtime):
            number += 1
            yield case
