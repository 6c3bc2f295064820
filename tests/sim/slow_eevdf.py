"""EEVDF on one processor in the slow simulator (slow_smp.py): threads of equal weight that all come at the start and
never block (docs/eevdf.md). What such a thread has run is its virtual runtime."""

from __future__ import annotations

from slow_smp import Processor, Rules, Thread


class Eevdf(Rules):
    def __init__(self, tick: int, slice_: int) -> None:
        self.tick, self.slice = tick, slice_
        self.queue: list[Thread] = []  # of those that do not run, in the order in which they came
        self.deadlines: dict[Thread, int] = {}

    def begin(self, threads: list[Thread]) -> None:
        self.queue = list(threads)
        self.deadlines = {thread: self.slice // 2 for thread in threads}
        self.machine.cause(self.machine.processors[0], "arrives", self.machine.now)  # of itself, so without delay
        self.machine.processors[0].interrupted = True

    def eligible(self, thread: Thread, among: list[Thread]) -> bool:
        """At or behind the average."""
        return thread.ran * len(among) <= sum(one.ran for one in among)

    def choose(self, processor: Processor, previous: Thread | None) -> Thread | None:
        among = self.queue + ([previous] if previous is not None else [])
        if not among:
            return None
        best = min((one for one in among if self.eligible(one, among)), key=lambda one: self.deadlines[one])
        if best is not previous:
            self.queue.remove(best)
            if previous is not None:
                self.queue.append(previous)
        return best

    def begins(self, processor: Processor) -> None:
        processor.forget("timer")
        self.machine.cause(processor, "timer", (self.machine.now // self.tick + 1) * self.tick)

    def timer(self, processor: Processor) -> bool:
        thread = processor.current
        self.begins(processor)
        if thread.ran < self.deadlines[thread]:
            return False
        self.deadlines[thread] = thread.ran + self.slice
        return True
