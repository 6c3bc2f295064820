"""What is run: the steps, the contexts, where each step is allowed, and a case with all that it takes to repeat it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.runtimes import OLD_RUNTIMES

# The same names as in programs/steps.h.
REGIONS = ["region", "other_size", "serialized", "bound", "loop", "loop_dynamic", "loop_runtime", "sections"]
REGIONS += ["inactive", "inactive_barrier", "copying", "initializing", "nested", "league", "worksharing", "task_reduction", "threadprivate"]
TASKS = ["task", "task_if0", "task_final", "task_untied", "task_depend", "task_region", "task_if0_region"]
TASKS += ["taskloop", "taskwait", "taskgroup", "detached"]
TARGETS = ["target", "target_nowait", "target_region", "target_nowait_region"]
SETTERS = ["set_threads", "set_dynamic", "set_schedule", "set_levels"]
LOCKS = ["lock", "nest_lock"]
ORPHANS = ["orphaned_loop", "orphaned_blocks"]
PROCESSES = ["forks", "forks_region", "handler", "module", "thread", "exception"]
PROCESSES += ["rounding", "pins", "other_stack", "leaves", "exits"]
LAST = ("leaves", "exits")
STEPS = (*REGIONS, *TASKS, *TARGETS, *SETTERS, *LOCKS, *ORPHANS, *PROCESSES)

SERIAL_CONTEXTS = ("root", "thread", "atexit", "constructor", "destructor", "signals")
TASK_CONTEXTS = ("task", "task_if0", "task_final", "task_untied", "task_depend", "taskgroup", "taskloop")
TARGET_CONTEXTS = ("target", "target_nowait")
TEAM_CONTEXTS = ("single", "master", "section", "nested", "inactive")
CONTEXTS = (*SERIAL_CONTEXTS, *TASK_CONTEXTS, *TARGET_CONTEXTS, *TEAM_CONTEXTS)

# clang; gcc, whose code runs on libomp; gnu: the same compiler, and libgomp.
VARIANTS = ("clang", "gcc", "gnu")
LIBOMPS = ("libomp19", "libomp14", "libomp16", "libomp21", "libiomp5")
LIBGOMPS = ("libgomp12", "libgomp14")
RUNTIMES = {"clang": LIBOMPS, "gcc": LIBOMPS, "gnu": LIBGOMPS}
MODES = ("on", "auto")
BY_AUTO = 4  # regions in a row that let `auto` open a fold


@dataclass(frozen=True)
class Case:
    """One program: its line says everything, and `parse` reads it."""

    variant: str
    runtime: str
    mode: str
    shape: str  # table: steps called by pointer; inlined: compiled into one function
    context: str
    size: int
    times: int
    flags: str
    levels: int
    wait: str
    barrier: str
    steps: tuple[str, ...]

    def __str__(self) -> str:
        words = [self.variant, self.runtime, self.mode, self.shape, self.context, self.size, self.times, self.flags]
        words += [self.levels, self.wait, self.barrier]
        return f"{' '.join(map(str, words))}: {' '.join(self.steps)}"

    @property
    def stock(self) -> str:
        """What a stock run depends on."""
        words = [self.variant, self.runtime, self.shape, self.context, self.size, self.times, self.flags, self.levels]
        return f"{' '.join(map(str, words))}: {' '.join(self.steps)}"

    @property
    def family(self) -> tuple[str, str, str]:
        return (self.variant, self.mode, self.context)


def parse(line: str) -> Case:
    settings, _, steps = line.partition(":")
    variant, runtime, mode, shape, context, size, times, flags, levels, wait, barrier = settings.split()
    return Case(variant, runtime, mode, shape, context, int(size), int(times), flags, int(levels), wait, barrier,
                tuple(steps.split()))  # fmt: skip


def step_is_allowed(step: str, context: str) -> bool:
    """By OpenMP's rules of nesting."""
    if step in ORPHANS:  # in implicit tasks only, of all threads of the team
        return context in (*SERIAL_CONTEXTS, "nested", "inactive")
    if step == "league":
        return context in SERIAL_CONTEXTS
    if step in TARGETS:
        return context not in TARGET_CONTEXTS
    if step == "leaves":
        return context in ("root", "thread")
    if step in ("threadprivate", "pins"):  # elsewhere a thread's number need not be the same in the next region
        return context in SERIAL_CONTEXTS or context in TASK_CONTEXTS
    if step == "exits":  # exit in an exit handler is undefined, as is that of two threads at once
        return context not in ("atexit", "destructor", "nested", "taskloop")
    return True


def runs_on(step: str, variant: str, runtime: str) -> bool:
    if variant == "gcc" and (step in TARGETS or step == "detached"):
        return False  # the GOMP layer of libomp has neither
    if runtime in OLD_RUNTIMES and step.startswith("target_nowait"):
        return False  # it hangs in regions
    return not (variant == "gnu" and step == "forks_region")  # a child of libgomp's has no regions


def stock_can(step: str, context: str, variant: str) -> bool:
    """What stock cannot do, always or now and then."""
    if variant != "gnu":
        # libomp's assertion that the team's primary thread has asked for it, too: kmp_runtime.cpp, load balancing.
        return step != "set_dynamic" or context not in ("single", "section", "nested", "inactive")
    # libgomp hangs: with detached tasks in no team, and in the regions after a target that was not waited for at once.
    return context in TEAM_CONTEXTS or not (step == "detached" or step.startswith("target_nowait"))


def is_allowed(steps: tuple[str, ...], context: str, variant: str, runtime: str) -> bool:
    if variant == "gcc" and context in TARGET_CONTEXTS:
        return False
    if runtime in OLD_RUNTIMES and context == "target_nowait":
        return False
    if not set(LAST).isdisjoint(steps[:-1]):
        return False
    return all(
        step_is_allowed(step, context) and runs_on(step, variant, runtime) and stock_can(step, context, variant)
        for step in steps
    )


def case_of(
    seed: int, variant: str, mode: str, context: str, steps: tuple[str, ...], runtime: str = "", shape: str = "table"
) -> Case:
    """What is not given is drawn, the same for the same seed and place."""
    chance = random.Random(f"{seed} {variant} {context} {' '.join(steps)}")
    runtimes = RUNTIMES[variant]
    # Every second on the first of them.
    drawn = runtimes[0] if chance.randrange(2) else chance.choice(runtimes[1:])
    size = chance.choice((2, 3, 3, 4))
    times = chance.choice((1, 1, 3)) if mode == "on" else BY_AUTO
    # libgomp hangs in a region after such a target.
    warm = "" if (variant, context) == ("gnu", "target_nowait") else "w"
    flags = chance.choice(("", warm)) + chance.choice(("", "", "q", "a"))
    levels = chance.choice((1, 2))
    wait = chance.choice(("auto", "auto", "auto", "block", "2cs+"))
    barrier = chance.choice(("auto", "auto", "auto", "tree", "dissemination-or-counter"))
    # Bound threads (an assertion of the old runtimes fails where a second thread opens regions), active waiting, a list.
    flags += chance.choice(("", "", "", "" if drawn in OLD_RUNTIMES or runtime in OLD_RUNTIMES else "b", "s", "l"))
    return Case(variant, runtime or drawn, mode, shape, context, size, times, flags or "-", levels, wait, barrier, steps)


def sequences(lengths: Iterable[int]) -> Iterator[tuple[str, ...]]:
    for length in lengths:
        yield from itertools.product(STEPS, repeat=length)


def subsequences(steps: tuple[str, ...]) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for length in range(1, len(steps) + 1):
        found.update(itertools.combinations(steps, length))
    return found


def covering(context: str, variant: str, runtime: str, chance: random.Random) -> list[tuple[str, ...]]:
    """Sequences of four in which every three that are allowed follow each other, perhaps with one between."""
    triples = [steps for steps in sequences((3,)) if is_allowed(steps, context, variant, runtime)]
    left = set(triples)
    chance.shuffle(triples)
    found = []
    for triple in triples:
        if triple not in left:
            continue
        best: tuple[int, tuple[str, ...]] = (0, ())
        for step in chance.sample(STEPS, 8):
            place = chance.randrange(4)
            four = (*triple[:place], step, *triple[place:])
            if is_allowed(four, context, variant, runtime):
                best = max(best, (len(left.intersection(itertools.combinations(four, 3))), four))
        four = best[1] or ("region", *triple)
        left.difference_update(itertools.combinations(four, 3))
        found.append(four)
    return found
