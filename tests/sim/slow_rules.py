"""The schedulers of the slow simulator (slow_smp.py): round robin, and Linux 2.2 and 2.4 with their wake-up schemes."""

from __future__ import annotations

from slow_smp import Job, Processor, Rules, Thread


class RoundRobin(Rules):
    def __init__(self, quantum: int) -> None:
        self.quantum = quantum
        self.queue: list[Thread] = []

    def arrive(self, threads: list[Thread]) -> None:
        self.wake(threads)

    def wake(self, threads: list[Thread]) -> None:
        self.queue += threads
        for thread in threads:
            self.released(thread)

    def released(self, thread: Thread) -> None:
        """The longest idle processor, if there is one."""
        idle = [one for one in self.machine.processors if one.idle() and not one.interrupted]
        if idle:
            self.machine.interrupt(min(idle, key=lambda one: (one.idle_since, one.number)))

    def choose(self, processor: Processor, previous: Thread | None) -> Thread | None:
        if previous is not None and any(thread.on is None for thread in self.queue):
            self.queue.append(previous)
            previous = None
        for thread in self.queue:
            if thread.on is None:
                self.queue.remove(thread)
                return thread
        return previous

    def chosen(self, processor: Processor) -> None:
        processor.forget("timer")
        self.machine.cause(processor, "timer", self.machine.now + self.machine.context_switch + self.quantum)

    def goes_on(self, processor: Processor) -> None:
        processor.forget("timer")
        self.machine.cause(processor, "timer", self.machine.now + self.quantum)

    def timer(self, processor: Processor) -> bool:
        return True


class Gang(Rules):
    def __init__(self, slice_: int, weights: list[int], pack: bool = False, fill: bool = False) -> None:
        self.slice, self.weights, self.pack, self.fill = slice_, weights, pack, fill
        self.turn = [-1]  # whose it is
        self.queues: dict[int, list[Thread]] = {}

    def there(self, job: int) -> int:
        """How many of its threads are."""
        return sum(one.state not in ("new", "gone") for one in self.machine.threads if one.job.number == job)

    def jobs_from(self, first: int) -> list[int]:
        return sorted(self.queues, key=lambda job: (job < first, job))

    def arrive(self, threads: list[Thread]) -> None:
        for thread in threads:
            self.queues.setdefault(thread.job.number, []).append(thread)
        if not any(one.state not in ("new", "gone") for one in self.machine.threads if one not in threads):
            self.turn_ends()
        else:
            for thread in threads:
                self.released(thread)

    def wake(self, threads: list[Thread]) -> None:
        for thread in threads:
            self.queues[thread.job.number].append(thread)
            self.released(thread)

    def rank(self, job: int) -> int:
        """The less the sooner its turn."""
        return 0 if job in self.turn else 1 + self.jobs_from(self.turn[0]).index(job)

    def released(self, thread: Thread) -> None:
        """Its own processor if that is idle, else the first idle one, else that of whose turn is furthest."""
        if not self.fill and thread.job.number not in self.turn:
            return
        free = [one for one in self.machine.processors if not one.interrupted]
        idle = [one for one in free if one.idle()]
        if idle:
            self.machine.interrupt(thread.last if thread.last in idle else idle[0])
            return
        ranks = [self.rank((one.next if one.switching else one.current).job.number) for one in free]
        if ranks and max(ranks) > self.rank(thread.job.number):
            self.machine.interrupt(free[ranks.index(max(ranks))])

    def turn_begins(self, job: int) -> None:
        self.turn, threads = [job], self.there(job)
        for other in self.jobs_from(job)[1:] if self.pack else []:
            threads += self.there(other)
            if threads > len(self.machine.processors):
                break
            self.turn.append(other)
        first = self.machine.processors[0]
        first.forget("turn_ends")
        self.machine.cause(first, "turn_ends", self.machine.now + self.slice * self.weights[job])
        for processor in self.machine.processors:
            self.machine.interrupt(processor)

    def turn_ends(self) -> None:
        following = [job for job in self.jobs_from(self.turn[-1] + 1) if self.there(job)]
        if following:
            self.turn_begins(following[0])

    def choose(self, processor: Processor, previous: Thread | None) -> Thread | None:
        if not any(self.there(job) for job in self.turn):
            self.turn_ends()
        chosen = None
        for job in self.jobs_from(self.turn[0]) if self.fill else self.turn:
            if previous is not None and self.rank(job) == self.rank(previous.job.number):
                return previous
            chosen = self.first(job, processor)
            if chosen is not None:
                break
        if previous is not None:
            self.queues[previous.job.number].append(previous)
        return chosen

    def first(self, job: int, processor: Processor) -> Thread | None:
        """That ran there last, or whose own processor is not about to take it."""
        queue = self.queues[job]
        free = [one for one in queue if one.on is None]
        its_own = [one for one in free if one.last is processor]
        others = [one for one in free if one.last is None or not one.last.interrupted]
        for thread in its_own + others:
            queue.remove(thread)
            return thread
        return None


class Linux(Rules):
    """Linux 2.2 and 2.4."""

    def __init__(
        self,
        tick: int,
        default: int,
        wake_up: str = "original",
        penalty: int = 15,
        bonus: int = 1,
        threshold: int = 1,
        exact: bool = False,
        switching: str = "previous",
    ) -> None:
        self.tick, self.default, self.wake_up, self.exact = tick, default, wake_up, exact
        self.penalty, self.bonus, self.threshold = penalty, bonus, threshold
        self.switching = switching  # who pays a switch's ticks
        self.queue: list[Thread] = []  # of all that can run, those that do as well
        self.epochs = 0
        self.races = 0  # who gets a processor that somebody else has been given already

    def arrive(self, threads: list[Thread]) -> None:
        for thread in threads:
            thread.counter = self.default
        self.queue = threads + self.queue
        for processor in self.machine.processors:
            if processor.idle():
                self.machine.interrupt(processor)

    def wake(self, threads: list[Thread]) -> None:
        for thread in threads:
            if thread in self.queue:
                self.queue.remove(thread)
            self.queue.insert(0, thread)
        if self.wake_up == "gv" and len(threads) > 1:
            self.find_pairs(threads)
            return
        for thread in threads:
            self.find(thread, passing_over=self.wake_up != "original")

    def find_pairs(self, threads: list[Thread]) -> None:
        """The best pair first, then the best of the others."""
        left, free = list(threads), [one for one in self.machine.processors if not one.interrupted]
        while left and free:
            pairs = [(self.worth(thread, one), thread, one) for thread in left for one in free]
            (kind, more), thread, one = max(pairs, key=lambda pair: pair[0])
            if kind == 0 and more <= self.threshold:
                return
            self.machine.interrupt(one)
            left.remove(thread)
            free.remove(one)

    def worth(self, thread: Thread, processor: Processor) -> tuple[int, int]:
        """Of a pair: its own that is idle, any that is idle (the longest first), or how much is gained."""
        if processor.idle():
            return 2 if thread.last is processor else 1, -processor.idle_since
        return 0, self.advantage(thread, processor)

    def advantage(self, thread: Thread, processor: Processor) -> int:
        runs = processor.next if processor.switching else processor.current
        return self.goodness(thread, processor, runs.job) - self.goodness(runs, processor, runs.job)

    def released(self, thread: Thread) -> None:
        self.find(thread, passing_over=self.wake_up != "original")

    def goodness(self, thread: Thread, processor: Processor, job: Job | None) -> int:
        if thread.counter == 0:
            return 0
        at_home = self.penalty if thread.last is processor else 0
        return thread.counter + at_home + (self.bonus if thread.job is job else 0)

    def find(self, thread: Thread, passing_over: bool) -> None:
        processors = [one for one in self.machine.processors if not (passing_over and one.interrupted)]
        idle = [one for one in processors if one.idle()]
        chosen: Processor | None = None
        if thread.last in idle:
            chosen = thread.last
        elif idle:
            chosen = min(idle, key=lambda one: (one.idle_since, one.number))
        else:
            most = self.threshold
            for one in processors:
                more = self.advantage(thread, one)
                if more > most:
                    chosen, most = one, more
        if chosen is not None:
            self.races += chosen.interrupted
            self.machine.interrupt(chosen)

    def choose(self, processor: Processor, previous: Thread | None) -> Thread | None:
        self.queue = [thread for thread in self.queue if thread.state not in ("blocked", "gone")]
        able = [] if previous is None else [previous]
        able += [thread for thread in self.queue if thread is not previous and thread.on is None]
        if not able:
            return None
        if all(thread.counter == 0 for thread in able):
            self.epochs += 1
            for thread in self.machine.threads:
                thread.counter = self.default + thread.counter // 2
        best = max(self.goodness(thread, processor, processor.job) for thread in able)
        return next(thread for thread in able if self.goodness(thread, processor, processor.job) == best)

    def begins(self, processor: Processor) -> None:
        thread = processor.current
        if self.exact:
            self.next_tick(processor, self.machine.now + self.tick - (thread.ran - thread.ticked))
        else:
            self.next_tick(processor)

    def next_tick(self, processor: Processor, at: int | None = None) -> None:
        processor.forget("tick")
        self.machine.cause(processor, "tick", (self.machine.now // self.tick + 1) * self.tick if at is None else at)

    def payer(self, processor: Processor) -> Thread | None:
        if not processor.switching:
            return processor.current
        if self.exact:
            return None
        return {"previous": processor.current, "next": processor.next, "nobody": None}[self.switching]

    def switches(self, processor: Processor) -> None:
        if self.payer(processor) is not None:
            self.next_tick(processor)

    def timer(self, processor: Processor) -> bool:
        thread = self.payer(processor)
        if thread is None:
            return False
        thread.counter, thread.ticked = max(0, thread.counter - 1), thread.ran
        if thread.counter == 0 and not (processor.switching and thread is processor.current):
            return True
        if processor.switching:
            self.next_tick(processor)
        else:
            self.begins(processor)
        return False
