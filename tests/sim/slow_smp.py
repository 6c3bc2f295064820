"""The simulated SMP once more, slowly and independently of sim/smp: what its trace is checked against.

Written from docs/smp.md and Tsafrir and Feitelson's appendix A, without sim/smp's sources. Time goes step by step; at
each step all that is due is looked for on every processor and done in the order in which it was decided upon. No queue of
events, no shortcut, nothing kept that could be looked up anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass
class Job:
    number: int
    size: int
    interval: int | None  # between barriers; None: computes for ever
    barriers: int = 0
    spin: int | None = None  # at most so long, then it blocks; None: for ever
    arrived: list[Thread] = field(default_factory=list)  # at the present barrier, in this order


@dataclass(eq=False)
class Thread:
    number: int
    job: Job
    state: str = "ready"
    doing: str = ""  # compute or spin
    left: int | None = None  # of it; None: for ever
    processor: Processor | None = None  # on which it is: since it was chosen until the switch away is over
    last: int | None = None  # where it was last
    wake_comes: bool = False
    passed: int = 0
    spins: int = 0
    successes: int = 0
    counter: int = 0
    at_barrier: bool = False


@dataclass(eq=False)
class Processor:
    number: int
    current: Thread | None = None
    next: Thread | None = None
    switching: bool = False
    idle_since: int = 0
    began: int = 0  # its thread began, or went on
    # What comes: its time, and when that was decided.
    due: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def idle(self) -> bool:
        return self.current is None and not self.switching


class Slow:
    def __init__(self, processors: int, context_switch: int, delay: int, rules: Rules, jobs: list[Job]) -> None:
        self.context_switch = context_switch
        self.delay = delay
        self.rules = rules
        self.processors = [Processor(n) for n in range(processors)]
        self.jobs = jobs
        self.threads = [Thread(0, job) for job in jobs for _ in range(job.size)]
        for number, thread in enumerate(self.threads):
            thread.number = number
        self.now = 0
        self.decided = 0
        self.trace: list[tuple[int, int, str, int]] = []  # time, thread, state, processor
        rules.machine = self

    # What comes.

    def plan(self, processor: Processor, what: str, at: int) -> None:
        self.decided += 1
        processor.due[what] = (at, self.decided)

    def run(self, limit: int) -> None:
        self.rules.begin()
        while self.now <= limit and not self.done():
            while self.act():
                pass
            self.now += 1
        self.now -= 1

    def done(self) -> bool:
        return all(thread.state == "gone" for thread in self.threads if thread.job.interval is not None)

    def act(self) -> bool:
        """The one thing that was decided upon first, of all that is due now."""
        found = [
            (decided, processor.number, what)
            for processor in self.processors
            for what, (at, decided) in processor.due.items()
            if at <= self.now
        ]
        if not found or self.done():
            return False
        _, number, what = min(found)
        processor = self.processors[number]
        del processor.due[what]
        {
            "switched": self.switched,
            "met": self.met,
            "interrupt": self.interrupted,
            "timer": self.timer,
        }[what](processor)
        return True

    # What happens.

    def change(self, thread: Thread, state: str) -> None:
        thread.state = state
        place = thread.processor.number if thread.processor is not None else -1
        self.trace.append((self.now, thread.number, state, place))

    def met(self, processor: Processor) -> None:
        thread = processor.current
        if thread.doing == "spin":  # for long enough
            self.leave(processor, "blocked")
            return
        self.arrive(processor, thread)

    def arrive(self, processor: Processor, thread: Thread) -> None:
        job = thread.job
        if len(job.arrived) == job.size - 1:
            waiting, job.arrived = job.arrived, []
            for one in (*waiting, thread):
                one.passed += 1
                one.at_barrier = False
            for one in waiting:
                if one.state != "blocked" and one.doing == "spin":
                    one.successes += 1
            self.release(waiting, processor)
            self.compute(processor, thread)
            return
        job.arrived.append(thread)
        thread.at_barrier = True
        if job.spin == 0:
            self.leave(processor, "blocked")
            return
        thread.spins += 1
        thread.doing, thread.left = "spin", job.spin
        self.go_on(processor)

    def release(self, waiting: list[Thread], processor: Processor) -> None:
        raise NotImplementedError

    def compute(self, processor: Processor, thread: Thread) -> None:
        raise NotImplementedError
