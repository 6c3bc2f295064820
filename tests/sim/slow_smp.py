"""The simulated SMP once more, slowly and independently of sim/smp: what its trace is checked against.

Written from a description of the model and Tsafrir and Feitelson's appendix A, not from the code in sim/smp. What
these did not decide (gangs; of what happens at one time, what comes first) is at the top of sim/smp/scheduler.h now.
Time goes step by step; at each step all that is due is looked for on every processor and done in the order in which
it was caused, but the clock's ticks first (by processor) and ends of spins last. No queue of events, no shortcut,
nothing kept that can be looked up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SPIN, COMPUTE = "spinning", "computing"
FOREVER = 10**9


@dataclass
class Job:
    size: int
    interval: int | None  # between barriers; None: computes for ever
    barriers: int = 0
    spin: int = 0  # for at most so long, then it blocks
    arrives: int = 0
    number: int = 0
    here: list[Thread] = field(default_factory=list)  # at the present barrier


@dataclass(eq=False)
class Thread:
    number: int
    job: Job
    state: str = "new"  # ready, running, blocked, gone
    doing: str = COMPUTE
    left: int = 0  # of what it does
    released: bool = False
    wake_comes: bool = False
    on: Processor | None = None  # since it was chosen until the switch away from it is over
    last: Processor | None = None
    passed: int = 0
    spins: int = 0
    successes: int = 0
    ran: int = 0  # steps
    ticked: int = 0  # of those, up to its last tick
    counter: int = 0


@dataclass(eq=False)
class Processor:
    number: int
    current: Thread | None = None
    next: Thread | None = None
    switching: bool = False
    interrupted: bool = False
    idle_since: int = 0
    job: Job | None = None  # whose address space it has
    began: int = 0  # of what its thread does now
    due: list[tuple[int, int, str]] = field(default_factory=list)  # what comes: when, when that was caused, what

    def idle(self) -> bool:
        """Nobody runs there, or is going to."""
        return self.next is None if self.switching else self.current is None

    def forget(self, *what: str) -> None:
        self.due = [one for one in self.due if one[2] not in what]


class Machine:
    def __init__(
        self,
        processors: int,
        context_switch: int,
        delay: int,
        rules: Rules,
        jobs: list[Job],
        idle_at_once: bool = False,
    ) -> None:
        self.context_switch, self.delay, self.rules, self.jobs = context_switch, delay, rules, jobs
        self.idle_at_once = idle_at_once  # a processor that nobody is chosen for; the thread takes its time to leave
        self.leaving: dict[int, list[Thread]] = {}  # by when they have left a processor that is idle
        self.processors = [Processor(number) for number in range(processors)]
        self.threads: list[Thread] = []
        for number, job in enumerate(jobs):
            job.number = number
            self.threads += [Thread(len(self.threads) + i, job, left=job.interval or FOREVER) for i in range(job.size)]
        self.now = 0
        self.causes = 0
        for time in {job.arrives for job in jobs}:
            self.cause(self.processors[0], "arrive", time)
        self.done: list[list[tuple[str, int]]] = [[] for _ in self.processors]  # in each step: activity, thread
        rules.machine = self

    def run(self, limit: int) -> int:
        while self.now < limit:
            while self.one_thing():
                pass
            if self.is_over():
                break
            for processor, steps in zip(self.processors, self.done, strict=True):
                steps.append(self.activity(processor))
                if processor.current is not None and not processor.switching:
                    processor.current.ran += 1
            self.now += 1
        return self.now

    def is_over(self) -> bool:
        ends = [thread.state == "gone" for thread in self.threads if thread.job.interval is not None]
        return bool(ends) and all(ends)

    @staticmethod
    def activity(processor: Processor) -> tuple[str, int]:
        if processor.switching:
            return "switching", processor.next.number if processor.next else -1
        if processor.current is None:
            return "idle", -1
        return processor.current.doing, processor.current.number

    def cause(self, processor: Processor, what: str, at: int) -> None:
        self.causes += 1
        processor.due.append((at, self.causes, what))

    def one_thing(self) -> bool:
        found = []
        for processor in self.processors:
            for at, caused, what in processor.due:
                if at <= self.now:
                    rank = {"tick": 0, "spun": 2}.get(what, 1)
                    order = processor.number if what == "tick" else caused
                    found.append((rank, order, processor, (at, caused, what)))
        if not found or self.is_over():
            return False
        _, _, processor, what = min(found, key=lambda one: one[:2])
        processor.due.remove(what)
        getattr(self, what[2])(processor)
        return True

    # What comes.

    def arrive(self, _: Processor) -> None:
        threads = [thread for thread in self.threads if thread.job.arrives == self.now]
        for thread in threads:
            thread.state = "ready"
        self.rules.arrive(threads)

    def computed(self, processor: Processor) -> None:
        thread = processor.current
        job = thread.job
        if len(job.here) < job.size - 1:
            job.here.append(thread)
            if job.spin == 0:
                self.leave(processor, "blocked")
                return
            thread.spins += 1
            thread.doing, thread.left = SPIN, job.spin
            self.go_on(processor)
            return
        waiting, job.here = sorted(job.here, key=lambda one: one.number), []
        for one in waiting:
            if one.state != "blocked":
                one.successes += 1
                self.release(one)
        self.wake([one for one in waiting if one.state == "blocked"])
        self.pass_barrier(processor)

    def spun(self, processor: Processor) -> None:
        self.leave(processor, "blocked")

    def freed(self, processor: Processor) -> None:
        """Its spin has succeeded."""
        self.pass_barrier(processor)

    def release(self, thread: Thread) -> None:
        thread.released = True
        processor = thread.on
        if processor is not None and processor.current is thread and not processor.switching:
            processor.forget("spun")
            self.cause(processor, "freed", self.now)

    def pass_barrier(self, processor: Processor) -> None:
        thread = processor.current
        thread.passed += 1
        thread.released = False
        if thread.passed == thread.job.barriers:
            self.leave(processor, "gone")
            return
        thread.doing, thread.left = COMPUTE, thread.job.interval
        self.go_on(processor)

    def wake(self, threads: list[Thread]) -> None:
        ready = []
        for thread in threads:
            if thread.on is not None:
                thread.wake_comes = True
            else:
                thread.state = "ready"
                ready.append(thread)
            thread.released = True
        if ready:
            self.rules.wake(ready)

    def switched(self, processor: Processor) -> None:
        left, processor.switching = processor.current, False
        processor.current, processor.next = processor.next, None
        if left is not None:
            left.on = None
        runs = processor.current is not None
        if runs:
            processor.current.state = "running"
        if left is not None:
            self.has_left(left)
        if processor.interrupted:
            self.cause(processor, "arrives", self.now + self.delay)
        if runs:
            self.rules.begins(processor)
            self.begin(processor)

    def has_left(self, left: Thread) -> None:
        if left.state == "blocked" and left.wake_comes:
            left.wake_comes = False
            left.state, left.released = "ready", True
            self.rules.wake([left])
        elif left.state == "ready":
            self.rules.released(left)

    def has_left_idle(self, _: Processor) -> None:
        """The first of those that have left a processor idle by now."""
        thread = self.leaving[self.now].pop(0)
        thread.on = None
        self.has_left(thread)

    def begin(self, processor: Processor) -> None:
        """Its thread runs, or was chosen again: what it has finished, it has finished at once."""
        thread = processor.current
        processor.forget("computed", "spun", "freed")
        if thread.released:
            self.pass_barrier(processor)
        elif thread.doing == COMPUTE and thread.left == 0:
            self.computed(processor)
        else:
            self.go_on(processor)

    def go_on(self, processor: Processor) -> None:
        thread = processor.current
        processor.began = self.now
        self.cause(processor, "computed" if thread.doing == COMPUTE else "spun", self.now + thread.left)

    def interrupt(self, processor: Processor) -> None:
        if not processor.interrupted:
            processor.interrupted = True
            if not processor.switching:  # else when that is over
                self.cause(processor, "arrives", self.now + self.delay)

    def arrives(self, processor: Processor) -> None:
        """An interrupt; one that the processor has obeyed meanwhile may serve for the next."""
        if processor.interrupted and not processor.switching:
            self.leave(processor, "ready")

    def timer(self, processor: Processor) -> None:
        if self.rules.timer(processor):
            self.leave(processor, "ready")

    def tick(self, processor: Processor) -> None:
        """To be chosen anew: at once, or when a switch is over."""
        if self.rules.timer(processor):
            if processor.switching:
                self.interrupt(processor)
            else:
                self.leave(processor, "ready")

    def turn_ends(self, _: Processor) -> None:
        self.rules.turn_ends()

    def leave(self, processor: Processor, state: str) -> None:
        """Chooses who runs next."""
        thread = processor.current
        can_run = thread is not None and state == "ready"
        processor.interrupted = False  # what it was to do it does now
        if thread is not None and not can_run:
            thread.state = state
        following = self.rules.choose(processor, thread if can_run else None)
        if following is thread and can_run:
            thread.left -= self.now - processor.began
            self.rules.goes_on(processor)
            self.begin(processor)
            return
        if thread is None and following is None:
            return
        if thread is not None:
            if can_run:
                thread.state = "ready"
                thread.left -= self.now - processor.began
            processor.forget("computed", "spun", "freed", "timer", "tick")
        if following is None and self.idle_at_once:
            processor.current, processor.idle_since = None, self.now
            self.leaving.setdefault(self.now + self.context_switch, []).append(thread)
            self.cause(processor, "has_left_idle", self.now + self.context_switch)
            return
        processor.next, processor.switching = following, True
        if following is None:
            processor.idle_since = self.now
        else:
            following.on = following.last = processor
            processor.job = following.job
            self.rules.chosen(processor)
        self.cause(processor, "switched", self.now + self.context_switch)
        self.rules.switches(processor)


class Rules:
    machine: Machine

    def arrive(self, threads: list[Thread]) -> None:
        raise NotImplementedError

    def wake(self, threads: list[Thread]) -> None:
        raise NotImplementedError

    def choose(self, processor: Processor, previous: Thread | None) -> Thread | None:
        raise NotImplementedError

    def begins(self, processor: Processor) -> None:
        pass

    def goes_on(self, processor: Processor) -> None:
        """Who ran was chosen again."""
        self.begins(processor)

    def chosen(self, processor: Processor) -> None:
        """A switch to somebody begins."""

    def switches(self, processor: Processor) -> None:
        """Also to nobody."""

    def released(self, thread: Thread) -> None:
        pass

    def timer(self, processor: Processor) -> bool:
        return False

    def turn_ends(self) -> None:
        pass
