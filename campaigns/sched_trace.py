"""Which thread ran when, from the text of a kernel trace: parsing and arithmetic only, no recording.

Events used: sched_switch, and where they are there sched_wakeup, sched_wakeup_new, sched_migrate_task and
sched_process_fork. Times are seconds in the trace, nanoseconds here.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

LINE = re.compile(r"^\s*.{1,16}-\d+\s.*?\[(\d+)\]\s+\S+\s+(\d+)\.(\d+): (\w+): (.*)$")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) .*prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) ")
WAKE = re.compile(r"comm=.* pid=(\d+) .*target_cpu=(\d+)")
MIGRATE = re.compile(r"comm=.* pid=(\d+) .*dest_cpu=(\d+)")
FORK = re.compile(r"comm=.* pid=(\d+) child_comm=.* child_pid=(\d+)")
WRITTEN = re.compile(r"entries-in-buffer/entries-written: (\d+)/(\d+)")
IDLE = 0


@dataclass
class Event:
    time: int
    cpu: int
    kind: str  # switch, wake, migrate, fork
    thread: int  # switched to, woken, migrated; forking
    other: int = 0  # switched from; target CPU; the child
    preempted: bool = False  # of a switch: `other` would have gone on


@dataclass
class Trace:
    events: list[Event]
    names: dict[int, str]
    lost: int  # events that the buffer did not hold


@dataclass
class Stretch:
    """One thread on one CPU without a break."""

    begin: int
    end: int
    cpu: int
    thread: int


@dataclass
class ThreadFigures:
    run_ns: int = 0
    stretches: list[int] = field(default_factory=list)
    preempted: int = 0
    migrations: int = 0
    waited_ns: int = 0  # runnable, but not on a CPU
    lost_to_others_ns: int = 0  # the part of it in which a thread of another process had that CPU

    def mean_ns(self) -> float:
        return statistics.fmean(self.stretches) if self.stretches else 0.0

    def median_ns(self) -> float:
        return statistics.median(self.stretches) if self.stretches else 0.0


def parse(lines: Iterable[str]) -> Trace:
    """Lines that are none of the events are passed over."""
    events: list[Event] = []
    names: dict[int, str] = {IDLE: "idle"}
    lost = 0
    for line in lines:
        if match := WRITTEN.search(line):
            lost = max(0, int(match[2]) - int(match[1]))
        if line.startswith("#") or not (match := LINE.match(line)):
            continue
        cpu, what = int(match[1]), match[4]
        time = int(match[2]) * 10**9 + int(match[3].ljust(9, "0")[:9])
        rest = match[5]
        if what == "sched_switch" and (found := SWITCH.search(rest)):
            names.setdefault(int(found[2]), found[1])
            if int(found[5]) != IDLE:
                names[int(found[5])] = found[4]
            state = found[3]
            preempted = state.startswith("R") and int(found[2]) != IDLE
            events.append(Event(time, cpu, "switch", int(found[5]), int(found[2]), preempted))
        elif what in ("sched_wakeup", "sched_wakeup_new") and (found := WAKE.search(rest)):
            events.append(Event(time, cpu, "wake", int(found[1]), int(found[2])))
        elif what == "sched_migrate_task" and (found := MIGRATE.search(rest)):
            events.append(Event(time, cpu, "migrate", int(found[1]), int(found[2])))
        elif what == "sched_process_fork" and (found := FORK.search(rest)):
            events.append(Event(time, cpu, "fork", int(found[1]), int(found[2])))
    events.sort(key=lambda event: event.time)  # stable: events of one time stay in their order
    return Trace(events, names, lost)


def descendants(trace: Trace, ancestors: Iterable[int]) -> set[int]:
    """The processes named and all threads and children that they made while the trace ran."""
    found = set(ancestors)
    for event in trace.events:
        if event.kind == "fork" and event.thread in found:
            found.add(event.other)
    return found


def complete_since(trace: Trace) -> int:
    """From when on the trace has every CPU: a full buffer drops each CPU's oldest events."""
    first: dict[int, int] = {}
    for event in trace.events:
        first.setdefault(event.cpu, event.time)
    if not first:
        return 0
    return max(first.values()) if trace.lost else min(first.values())


class Timeline:
    """Stretches by CPU from `begin` to `end`, and what they mean for the team."""

    def __init__(self, trace: Trace, team: set[int], begin: int | None = None, end: int | None = None) -> None:
        self.names = trace.names
        self.team = team
        self.begin = complete_since(trace) if begin is None else begin
        self.end = (trace.events[-1].time if trace.events else 0) if end is None else end
        self.by_cpu: dict[int, list[Stretch]] = {}
        self.threads: dict[int, ThreadFigures] = {}
        self._waits: list[tuple[int, int, int, int]] = []  # thread, CPU, begin, end
        self._follow(trace.events)
        self._charge_waits()

    def _add_stretch(self, begin: int, end: int, cpu: int, thread: int) -> None:
        begin, end = max(begin, self.begin), min(end, self.end)
        if end <= begin:
            return
        self.by_cpu.setdefault(cpu, []).append(Stretch(begin, end, cpu, thread))
        if thread != IDLE:
            figures = self.threads.setdefault(thread, ThreadFigures())
            figures.run_ns += end - begin
            figures.stretches.append(end - begin)

    def _follow(self, events: list[Event]) -> None:
        on_cpu: dict[int, tuple[int, int]] = {}  # CPU: thread, since
        last_cpu: dict[int, int] = {}
        queued: dict[int, tuple[int, int]] = {}  # runnable thread: CPU, since
        for event in events:
            thread = event.thread
            if event.kind == "switch":
                since = on_cpu.get(event.cpu, (event.other, self.begin))[1]
                self._add_stretch(since, event.time, event.cpu, event.other)
                on_cpu[event.cpu] = (thread, event.time)
                if event.preempted:
                    queued[event.other] = (event.cpu, event.time)
                    if event.time >= self.begin:
                        self.threads.setdefault(event.other, ThreadFigures()).preempted += 1
                else:
                    queued.pop(event.other, None)
                self._ends_wait(queued, thread, event.time)
                if thread != IDLE and self.begin <= event.time <= self.end:
                    if last_cpu.get(thread, event.cpu) != event.cpu:
                        self.threads.setdefault(thread, ThreadFigures()).migrations += 1
                last_cpu[thread] = event.cpu
                last_cpu[event.other] = event.cpu
            elif event.kind == "wake" and thread not in queued:
                if all(running != thread for running, _ in on_cpu.values()):
                    queued[thread] = (event.other, event.time)
            elif event.kind == "migrate" and thread in queued:
                self._ends_wait(queued, thread, event.time)
                queued[thread] = (event.other, event.time)
        for cpu, (thread, since) in on_cpu.items():
            self._add_stretch(since, self.end, cpu, thread)
        for thread in list(queued):
            self._ends_wait(queued, thread, self.end)

    def _ends_wait(self, queued: dict[int, tuple[int, int]], thread: int, time: int) -> None:
        if thread not in queued:
            return
        cpu, since = queued.pop(thread)
        begin, end = max(since, self.begin), min(time, self.end)
        if thread in self.team and end > begin:
            self._waits.append((thread, cpu, begin, end))

    def _charge_waits(self) -> None:
        """What each wait in a queue was for: which threads had the CPU meanwhile."""
        waits_by_cpu: dict[int, list[tuple[int, int, int, int]]] = {}
        for wait in self._waits:
            waits_by_cpu.setdefault(wait[1], []).append(wait)
        for cpu, waits in waits_by_cpu.items():
            others = [s for s in self.by_cpu.get(cpu, []) if s.thread != IDLE and s.thread not in self.team]
            first = 0
            for thread, _, begin, end in sorted(waits, key=lambda wait: wait[2]):
                figures = self.threads.setdefault(thread, ThreadFigures())
                figures.waited_ns += end - begin
                while first < len(others) and others[first].end <= begin:
                    first += 1
                for stretch in others[first:]:
                    if stretch.begin >= end:
                        break
                    figures.lost_to_others_ns += min(end, stretch.end) - max(begin, stretch.begin)

    def team_members(self) -> list[int]:
        """Threads of the team that ran, by number; not helpers with less than a hundredth of the busiest one's time."""
        run = {thread: self.threads[thread].run_ns for thread in self.team if thread in self.threads}
        least = max(run.values(), default=0) / 100
        return sorted(thread for thread, time in run.items() if time and time >= least)

    def together(self) -> dict[int, int]:
        """How long exactly so many threads of the team were on CPUs, ns."""
        changes: list[tuple[int, int]] = [(self.begin, 0), (self.end, 0)]
        for stretches in self.by_cpu.values():
            for stretch in stretches:
                if stretch.thread in self.team:
                    changes += [(stretch.begin, 1), (stretch.end, -1)]
        changes.sort()
        spent: dict[int, int] = {}
        running = 0
        for (time, change), (following, _) in zip(changes, changes[1:], strict=False):
            running += change
            if following > time:
                spent[running] = spent.get(running, 0) + following - time
        return spent
