"""EEVDF on one processor in the slow simulator (slow_smp.py): threads of equal weight that all come at the start and
never block (sim/smp/eevdf.h). What such a thread has run is its virtual runtime."""

from __future__ import annotations

from slow_smp import Processor, Rules, Thread


class Eevdf(Rules):
    def __init__(self, tick: int, slices: list[int]) -> None:
        self.tick, self.slices = tick, slices  # of each job's threads
        self.queue: list[Thread] = []  # of those that do not run, in the order in which they came
        self.deadlines: dict[Thread, int] = {}
        self.left_alone_until: dict[Thread, int] = {}  # what it has run then

    def arrive(self, threads: list[Thread]) -> None:
        self.queue = list(threads)
        self.deadlines = {thread: self.slices[thread.job.number] // 2 for thread in threads}
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
            self.left_alone_until[best] = min(self.deadlines[best], best.ran + self.shortest(best, among))
            self.queue.remove(best)
            if previous is not None:
                self.queue.append(previous)
        return best

    def shortest(self, thread: Thread, among: list[Thread]) -> int:
        """The slice for which it is left alone; up to its deadline, where no other's is shorter."""
        own, least = self.slices[thread.job.number], min(self.slices[one.job.number] for one in among)
        return self.deadlines[thread] if least == own else least

    def begins(self, processor: Processor) -> None:
        processor.forget("timer")
        self.machine.cause(processor, "timer", (self.machine.now // self.tick + 1) * self.tick)

    def timer(self, processor: Processor) -> bool:
        thread = processor.current
        self.begins(processor)
        if thread.ran >= self.deadlines[thread]:
            self.deadlines[thread] = thread.ran + self.slices[thread.job.number]
            return True
        return thread.ran >= self.left_alone_until[thread]
