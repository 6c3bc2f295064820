"""bin/smp's trace against the slow simulator's (slow_smp.py), processor by processor and step by step."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import random
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slow_cfs import Cfs
from slow_eevdf import Eevdf
from slow_rules import Gang, Linux, RoundRobin
from slow_smp import Job, Machine, Rules

SMP = Path(os.environ.get("MUSTER_SMP", "build/release/bin/smp")).resolve()
INTERVAL, BARRIERS, LIMIT = 4, 12, 2000
Step = tuple[str, int]
RR = {"kind": "rr", "quantum": 20}
WEIGHTS = {-10: 9548, -3: 1991, 0: 1024, 5: 335}  # by niceness


def linux(default_ticks: int, wake_up: str, **more: Any) -> dict[str, Any]:
    return {"kind": "linux24", "tick": 5, "default_ticks": default_ticks, "wake_up": wake_up} | more


@dataclass
class Case:
    processors: int
    scheduler: dict[str, Any]
    jobs: list[tuple[int, int | None, int, int, int]]  # a Job's first five; no interval: background
    context_switch: int = 6
    delay: int = 0
    scale: int = 1  # one of our steps in the program's time
    slices: list[int] | None = None  # of each job's threads
    nices: list[int] | None = None  # likewise
    idle_at_once: bool = False

    def run_file(self) -> str:
        text = f'unit = "{"steps" if self.scale == 1 else "ns"}"\norder = "given"\nlimit = {LIMIT * self.scale}\n'
        text += f"[machine]\nprocessors = {self.processors}\ncontext_switch = {self.context_switch * self.scale}\n"
        text += f"interrupt_delay = {self.delay * self.scale}\nidle_at_once = {json.dumps(self.idle_at_once)}\n"
        text += "[scheduler]\n"
        text += "".join(f"{key} = {json.dumps(value)}\n" for key, value in self.scheduler.items())
        for number, (size, interval, barriers, spin, arrives) in enumerate(self.jobs):
            text += f"[[job]]\nsize = {size}\narrives = {arrives * self.scale}\n"
            text += f"slice = {self.slices[number] * self.scale}\n" if self.slices else ""
            text += f"nice = {self.nices[number]}\n" if self.nices else ""
            if interval is None:
                text += 'kind = "background"\n'
            else:
                text += f'kind = "synchronizing"\nmean = {interval * self.scale}\ndeviation = 0\n'
                text += f'barriers = {barriers}\npolicy = "{spin * self.scale}"\n'
        return text

    def rules(self) -> Rules:
        of = self.scheduler
        if of["kind"] == "rr":
            return RoundRobin(of["quantum"])
        if of["kind"] == "gang":
            weights = of.get("weights", [1] * len(self.jobs))
            return Gang(of["slice"], weights, of.get("pack", False), of.get("fill", False))
        if of["kind"] == "cfs":
            names = ("tick", "latency", "least_granularity", "wake_up_granularity")
            flags = of["sleeper_credit"], of["wake_to_idle"]
            weights = [WEIGHTS[nice] for nice in self.nices or [0] * len(self.jobs)]
            return Cfs(*(of[name] // self.scale for name in names), *flags, weights)
        if of["kind"] == "eevdf":
            base = of["base_slice"] // self.scale
            return Eevdf(of["tick"] // self.scale, self.slices or [base] * len(self.jobs))
        names = {"proc_change_penalty": "penalty", "same_address_space_bonus": "bonus"}
        names |= {"preemption_threshold": "threshold"}
        more = {short: of[name] for name, short in names.items() if name in of}
        more |= {"exact": of.get("accounting") == "exact", "switching": of.get("switching", "previous")}
        return Linux(of["tick"], of["default_ticks"], of["wake_up"], **more)

    def of_program(self) -> list[list[Step]]:
        """What each processor did in each step. Of a switch only that it is one: two in a row may be one line."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.toml"
            path.write_text(self.run_file())
            printed = subprocess.check_output([SMP, path, "--trace", "-"], text=True)
        rows = list(csv.DictReader(io.StringIO(printed)))
        end = max(int(row["end"]) for row in rows) // self.scale
        steps: list[list[Step]] = [[("idle", -1)] * end for _ in range(self.processors)]
        for row in rows:
            thread = int(row["thread"]) if row["activity"] in ("computing", "spinning") else -1
            (begin, left), (end, _) = (divmod(int(row[key]), self.scale) for key in ("begin", "end"))
            if left != 0:
                raise ValueError(f"not on a step: {row}")
            for step in range(begin, end):
                steps[int(row["processor"])][step] = (row["activity"], thread)
        return steps

    def of_slow(self, rules: Rules) -> list[list[Step]]:
        jobs = [Job(*job) for job in self.jobs]
        machine = Machine(self.processors, self.context_switch, self.delay, rules, jobs, self.idle_at_once)
        machine.run(LIMIT)
        return [[(what, -1 if what == "switching" else who) for what, who in steps] for steps in machine.done]


def job(size: int, spin: int, others: int) -> list[tuple[int, int | None, int, int, int]]:
    return [(size, INTERVAL, BARRIERS, spin, 0)] + ([(others, None, 0, 0, 0)] if others else [])


def drawn(seed: int) -> Case:
    """A small machine on which much happens at once: of every kind, also impossible ones."""
    draw = random.Random(seed)
    processors = draw.choice((1, 2, 2, 3, 3, 4, 4))
    case = Case(processors, RR, [], draw.choice((1, 2, 3, 6)), draw.choice((0, 1, 2, 5, 14)))
    for _ in range(draw.choice((1, 1, 2))):
        size = draw.randint(2, 5 if case.jobs else 8)
        arrives = draw.choice((0, 0, 1, 40, 300))
        case.jobs.append((size, draw.randint(1, 11), draw.randint(5, 20), draw.choice((0, 3, 6, 7, 13, 40)), arrives))
    if draw.random() < 0.6:
        case.jobs.append((draw.randint(1, 3), None, 0, 0, draw.choice((0, 0, 60))))
    return case


# muster-test: full long
class SlowSimulator(unittest.TestCase):
    def compare(self, case: Case) -> Rules:
        rules = case.rules()
        with self.subTest(case=case):
            fast, slow = case.of_program(), case.of_slow(rules)
            self.assertEqual(len(fast[0]), len(slow[0]), "they end at another time")
            for number in range(len(fast[0])):
                at = f"at step {number}"
                self.assertEqual([one[number] for one in fast], [one[number] for one in slow], at)
        return rules

    @staticmethod
    def cases(*processors: int) -> Iterator[tuple[int, int, int]]:
        """Processors, threads of the job, for how long it spins."""
        return itertools.product(processors, (2, 3, 5, 8), (0, 6, 13))

    def test_round_robin(self) -> None:
        for processors, size, spin in self.cases(1, 2, 3, 4):
            self.compare(Case(processors, RR, job(size, spin, 0)))
        for seed in range(20):
            case = drawn(seed)
            case.scheduler = RR | {"quantum": random.Random(seed).choice((4, 7, 20))}
            self.compare(case)

    def test_two_jobs(self) -> None:
        for processors, spin in itertools.product((2, 3, 4), (0, 6, 13)):
            for scheduler in (RR, linux(500, "original")):
                self.compare(Case(processors, scheduler, [(3, 5, 11, spin, 0), (4, 7, 9, 9, 0)]))

    def test_linux_goodness_and_wake_up(self) -> None:
        """Within one epoch."""
        races = 0
        for wake_up, others in (("original", 0), ("original", 3), ("ap", 3), ("gv", 0)):
            for processors, size, spin in self.cases(3, 4):
                rules = self.compare(Case(processors, linux(500, wake_up), job(size, spin, others)))
                races += rules.races
        self.assertGreater(races, 0)

    def test_linux_epochs(self) -> None:
        for wake_up, others in (("original", 0), ("ap", 3), ("gv", 1)):
            epochs = 0
            for processors, size, spin in self.cases(2, 3):
                epochs += self.compare(Case(processors, linux(4, wake_up), job(size, spin, others))).epochs
            self.assertGreater(epochs, 100)

    def test_a_processor_that_becomes_idle_while_an_exhausted_thread_is_ready(self) -> None:
        self.compare(Case(3, linux(4, "original"), job(4, 6, 0)))

    def test_processors_idle_at_once(self) -> None:
        """Fewer threads than processors, and more."""
        idle = 0
        for processors, size, spin in self.cases(2, 3, 4):
            for scheduler in (RR, linux(4, "original"), linux(500, "ap")):
                case = Case(processors, scheduler, job(size, spin, 0), idle_at_once=True)
                self.compare(case)
                idle += sum(step[0] == "idle" for steps in case.of_program() for step in steps)
        for seed in range(1100, 1140):
            case, draw = drawn(seed), random.Random(seed)
            case.idle_at_once = True
            case.scheduler = RR if seed % 2 else linux(draw.choice((2, 8)), ("original", "ap", "gv")[seed % 3])
            self.compare(case)
        self.assertGreater(idle, 0)

    def test_linux_drawn(self) -> None:
        """Every number another, epochs of a few ticks, interrupts that take time, both accountings, two jobs."""
        for seed in range(1000, 1080):
            case, draw = drawn(seed), random.Random(seed)
            case.scheduler = linux(
                draw.choice((1, 2, 3, 4, 8)),
                ("original", "ap", "gv")[seed % 3],
                tick=draw.choice((2, 3, 5, 8)),
                accounting=draw.choice(("sampled", "sampled", "exact")),
                switching=draw.choice(("previous", "next", "nobody")),
                proc_change_penalty=draw.choice((0, 1, 2, 3, 4, 5, 15)),
                same_address_space_bonus=draw.choice((0, 1, 1, 3)),
                preemption_threshold=draw.choice((0, 1, 1, 3)),
            )
            if seed % 2:  # threads that only compute are jobs of their own
                size, *rest = case.jobs[-1]
                case.jobs[-1:] = [(1, *rest)] * size if rest[0] is None else [case.jobs[-1]]
            self.compare(case)

    def test_gang(self) -> None:
        for seed in range(2000, 2040):
            case, draw = drawn(seed), random.Random(seed)
            weights = [draw.choice((1, 1, 2, 3)) for _ in case.jobs]
            case.scheduler = {"kind": "gang", "slice": draw.choice((5, 10, 20, 37)), "fill": seed % 3 == 0}
            if seed % 2 == 0:
                case.scheduler["weights"] = weights
            else:  # turns are shared; by jobs that are there from the start
                case.scheduler["pack"] = True
                case.jobs = [(draw.randint(1, 3), *one[1:4], 0) for one in [case.jobs[0], *case.jobs]]
            self.compare(case)

    def test_eevdf_on_one_processor(self) -> None:
        """Threads that compute; a step is 1,000 ns."""
        for seed in range(3000, 3030):
            draw = random.Random(seed)
            scheduler = {"kind": "eevdf", "tick": draw.choice((30_000, 40_000, 70_000, 160_000, 400_000))}
            scheduler["base_slice"] = draw.choice((100_000, 102_000, 120_000, 200_000, 344_000))
            jobs = [(draw.randint(1, 3), None, 0, 0, 0) for _ in range(draw.choice((1, 2, 3)))]
            case = Case(1, scheduler, jobs, draw.choice((1, 2, 30)), draw.choice((0, 1, 50)), scale=1000)
            if seed % 2 == 1:
                case.slices = [draw.choice((100, 102, 120, 200, 344, 600)) for _ in jobs]
            self.compare(case)

    def test_cfs(self) -> None:
        """Teams that block and spin, of several weights; a step is 1,000 ns."""
        for seed in range(4000, 4060):
            case, draw = drawn(seed), random.Random(seed)
            case.scale = 1000
            case.scheduler = {
                "kind": "cfs",
                "tick": draw.choice((24_000, 48_000, 72_000)),  # its half in steps for each processor
                "latency": draw.choice((10_000, 25_000, 60_000, 150_000)),
                "least_granularity": draw.choice((1000, 5000, 12_000)),
                "wake_up_granularity": draw.choice((1000, 5000, 20_000)),
                "sleeper_credit": seed % 3 != 0,
                "wake_to_idle": seed % 2 == 0,
            }
            case.nices = [draw.choice(list(WEIGHTS)) for _ in case.jobs]
            self.compare(case)


if __name__ == "__main__":
    unittest.main()
