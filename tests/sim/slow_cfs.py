"""The small CFS of sim/smp/cfs.h in the slow simulator (slow_smp.py): threads of any weight on several processors."""

from __future__ import annotations

from slow_smp import Processor, Rules, Thread

SHARED = 5  # threads that share a latency


class Cfs(Rules):
    def __init__(
        self, tick: int, latency: int, least: int, granularity: int, credit: bool, to_idle: bool, weights: list[int]
    ) -> None:
        self.tick, self.latency, self.least, self.granularity = tick, latency, least, granularity
        self.credit, self.to_idle, self.weights = credit, to_idle, weights  # the last: of each job's threads
        self.skew = 0  # from a processor's ticks to those of the next
        self.home: dict[Thread, Processor] = {}
        self.placed: dict[Thread, tuple[int, int]] = {}  # its virtual time, when it had run so long
        self.chosen_at: dict[Thread, int] = {}  # what it had run when it was chosen
        self.queues: dict[Processor, list[Thread]] = {}  # in the order in which they joined
        self.runs: dict[Processor, Thread | None] = {}
        self.floors: dict[Processor, int] = {}

    def virtual(self, thread: Thread) -> int:
        at, ran = self.placed[thread]
        return at + self.scaled(thread.ran - ran, thread)

    def scaled(self, time: int, thread: Thread) -> int:
        """In nanoseconds of the program: that is where it rounds."""
        return time * 1000 * 1024 // self.weights[thread.job.number]

    def there(self, processor: Processor) -> list[Thread]:
        runs = self.runs[processor]
        return self.queues[processor] + ([runs] if runs is not None else [])

    def crowd(self, processor: Processor, thread: Thread) -> tuple[int, int]:
        """Threads of its job there, and all."""
        there = self.there(processor)
        return sum(one.job is thread.job for one in there), len(there)

    def look(self, processor: Processor) -> None:
        """Its floor follows the least, up."""
        times = [self.virtual(thread) for thread in self.there(processor)]
        self.floors[processor] = max([self.floors[processor], min(times)] if times else [self.floors[processor]])

    def slice(self, processor: Processor, thread: Thread, threads: list[Thread]) -> int:
        period = self.latency if len(threads) <= SHARED else self.least * len(threads)
        weight = sum(self.weights[one.job.number] for one in threads)
        return period * 1000 * self.weights[thread.job.number] // weight

    def arrive(self, threads: list[Thread]) -> None:
        self.skew = self.tick // (2 * len(self.machine.processors))
        for processor in self.machine.processors:
            self.queues.setdefault(processor, [])
            self.runs.setdefault(processor, None)
            self.floors.setdefault(processor, 0)
        for thread in threads:
            home = min(self.machine.processors, key=lambda one: self.crowd(one, thread))
            self.home[thread] = home
            self.look(home)
            debit = self.slice(home, thread, [*self.there(home), thread]) * 1024 // self.weights[thread.job.number]
            self.join(thread, self.floors[home] + debit)

    def wake(self, threads: list[Thread]) -> None:
        for thread in threads:
            before, home = self.home[thread], self.home[thread]
            idle = [one for one in self.machine.processors if not self.there(one)]
            if self.to_idle and idle and home not in idle:
                home = idle[0]
            self.look(home)
            time = self.virtual(thread) - self.floors[before] + self.floors[home]
            self.home[thread] = home
            self.join(thread, max(time, self.floors[home] - (self.latency * 1000 // 2 if self.credit else 0)))

    def join(self, thread: Thread, time: int) -> None:
        home = self.home[thread]
        self.placed[thread] = time, thread.ran
        self.queues[home].append(thread)
        runs = self.runs[home]
        if runs is None or self.virtual(runs) - time > self.scaled(self.granularity, thread):
            self.machine.interrupt(home)

    def choose(self, processor: Processor, previous: Thread | None) -> Thread | None:
        self.look(processor)
        if previous is not None:
            self.queues[processor].append(previous)
        self.runs[processor] = None
        self.look(processor)
        if not self.queues[processor]:
            return None
        best = min(self.queues[processor], key=self.virtual)
        self.queues[processor].remove(best)
        self.runs[processor] = best
        if best is not previous:
            self.chosen_at[best] = best.ran
        return best

    def begins(self, processor: Processor) -> None:
        processor.forget("timer")
        ticks = range(processor.number * self.skew, self.machine.now + 2 * self.tick, self.tick)
        self.machine.cause(processor, "timer", next(tick for tick in ticks if tick > self.machine.now))

    def timer(self, processor: Processor) -> bool:
        self.begins(processor)
        thread = processor.current
        if not self.queues[processor]:
            return False
        ran = (thread.ran - self.chosen_at[thread]) * 1000
        own = self.slice(processor, thread, self.there(processor))
        ahead = self.virtual(thread) - min(self.virtual(one) for one in self.queues[processor])
        return ran > own or (ran >= self.least * 1000 and ahead > own)
