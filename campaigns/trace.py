#!/usr/bin/env python3
"""Which thread ran when: the scheduler's view of a command beside CPU hogs.

    trace.py [--hogs N] [--seconds S] [--window MS] [--png FILE] [--csv FILE] -- CMD...

Needs root and tracefs. Without them, a line on stderr says why, and /proc/PID/task/*/schedstat is sampled instead: run
and waiting times, no timeline. --png needs matplotlib. docs/use/profilers.md explains what is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import sched_recording  # noqa: E402
from sched_trace import IDLE, Timeline, Trace, descendants, parse  # noqa: E402

from lab.hogs import hogs  # noqa: E402
from lab.pictures import save_png  # noqa: E402
from lab.runs import exit_by_exception  # noqa: E402

COLUMNS = 100
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
LONGEST_END = 5.0  # seconds that a command has to end after SIGTERM


def say(text: str) -> None:
    print(f"trace: {text}", file=sys.stderr, flush=True)


def symbols(timeline: Timeline, hog_threads: set[int]) -> dict[int, str]:
    """A letter for each thread: teammates by number, B for CPU hogs, . for idle; * for all others."""
    letters = {thread: LETTERS[i % len(LETTERS)] for i, thread in enumerate(timeline.team_members())}
    return letters | dict.fromkeys(hog_threads, "B") | {IDLE: "."}


def gantt(timeline: Timeline, letters: dict[int, str], begin: int, end: int) -> list[str]:
    """A line per CPU: each column shows the thread that had most of that time. A blank: unknown."""
    lines = []
    width = max(1, (end - begin) // COLUMNS)
    for cpu, stretches in sorted(timeline.by_cpu.items()):
        shares: list[dict[str, int]] = [{} for _ in range(COLUMNS)]
        for stretch in stretches:
            if stretch.end <= begin or stretch.begin >= end:
                continue
            letter = letters.get(stretch.thread, "*")
            first = max(0, (stretch.begin - begin) // width)
            for column in range(first, min(COLUMNS - 1, (stretch.end - 1 - begin) // width) + 1):
                left = begin + column * width
                part = min(stretch.end, left + width) - max(stretch.begin, left)
                shares[column][letter] = shares[column].get(letter, 0) + part
        text = "".join(max(share, key=lambda key: share[key]) if share else " " for share in shares)
        lines.append(f"cpu {cpu:3} |{text}|")
    return lines


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else "-"


def summary(timeline: Timeline, letters: dict[int, str], lost: int) -> list[str]:
    span = timeline.end - timeline.begin
    lines = [
        f"traced {span / 1e6:.1f} ms, {len(timeline.by_cpu)} CPUs" + (f", {lost} older events lost" if lost else "")
    ]
    lines.append(
        "   thread                 run ms  stretches    mean us  median us  preempted  moved  queued ms  lost ms"
    )
    members = timeline.team_members()
    shown = members + sorted(
        (thread for thread in timeline.threads if thread not in timeline.team),
        key=lambda thread: -timeline.threads[thread].run_ns,
    )[:8]
    for thread in shown:
        figures = timeline.threads[thread]
        waits = f"{figures.waited_ns / 1e6:9.2f} {figures.lost_to_others_ns / 1e6:8.2f}"
        lines.append(
            f" {letters.get(thread, '*')} {thread:7} {timeline.names.get(thread, '?'):15.15}"
            f"{figures.run_ns / 1e6:8.2f} {len(figures.stretches):10} {figures.mean_ns() / 1e3:10.1f}"
            f" {figures.median_ns() / 1e3:10.1f} {figures.preempted:10} {figures.migrations:6}"
            f"  {waits if thread in timeline.team else '        -        -'}"
        )
    spent = timeline.together()
    fitting = min(len(members), len(timeline.by_cpu))
    lines.append("team on CPUs at once: " + ", ".join(f"{n}: {percent(t, span)}" for n, t in sorted(spent.items())))
    lines.append(
        f"all {len(members)}: {percent(spent.get(len(members), 0) if members else 0, span)}; as many as fit"
        f" ({fitting}): {percent(sum(t for n, t in spent.items() if n >= fitting), span)};"
        f" none: {percent(spent.get(0, 0), span)}"
    )
    lost_ns = sum(timeline.threads[thread].lost_to_others_ns for thread in members)
    lines.append(f"queued behind others: {lost_ns / 1e6:.2f} ms of {span * len(members) / 1e6:.2f} ms thread time")
    return lines


def write_csv(timeline: Timeline, hog_threads: set[int], path: Path) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["begin_ns", "end_ns", "cpu", "thread", "name", "kind"])
        for _, stretches in sorted(timeline.by_cpu.items()):
            for s in stretches:
                kind = "team" if s.thread in timeline.team else "hog" if s.thread in hog_threads else "other"
                kind = "idle" if s.thread == IDLE else kind
                name = timeline.names.get(s.thread, "")
                rows.writerow([s.begin - timeline.begin, s.end - timeline.begin, s.cpu, s.thread, name, kind])


def write_png(timeline: Timeline, letters: dict[int, str], begin: int, end: int, path: Path) -> None:
    try:
        import matplotlib
    except ImportError:
        say("--png needs matplotlib; no picture was written")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(14, 1 + 0.6 * len(timeline.by_cpu)))
    members = timeline.team_members()
    for cpu, stretches in timeline.by_cpu.items():
        for s in stretches:
            if s.thread == IDLE or s.end <= begin or s.begin >= end:
                continue
            is_team = s.thread in members
            color = f"C{members.index(s.thread) % 10}" if is_team else "0.4" if letters.get(s.thread) == "B" else "0.75"
            left, right = max(s.begin, begin), min(s.end, end)
            axes.broken_barh([((left - begin) / 1e6, (right - left) / 1e6)], (cpu - 0.4, 0.8), color=color)
    axes.set(
        xlabel="ms", ylabel="CPU", yticks=sorted(timeline.by_cpu), title="colours: the team; grey: other processes"
    )
    save_png(figure, path, dpi=120, margins="tight")


def end_of(command: subprocess.Popen[bytes]) -> None:
    if command.poll() is None:
        command.terminate()
        try:
            command.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            command.kill()
            command.wait()


def sample_schedstat(pid: int, seen: dict[int, list[int]]) -> None:
    """The last figures of each thread: ns run, ns waited in the queue, times put on a CPU."""
    for folder in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError, ValueError):
            seen[int(folder.name)] = [int(word) for word in (folder / "schedstat").read_text().split()]


def run_sampled(command: list[str], seconds: float) -> int:
    started = subprocess.Popen(command)
    seen: dict[int, list[int]] = {}
    deadline = time.monotonic() + seconds
    try:
        while started.poll() is None and time.monotonic() < deadline:
            sample_schedstat(started.pid, seen)
            time.sleep(0.02)
    finally:
        end_of(started)
    print("   thread    run ms  queued ms  stretches   (of /proc, sampled every 20 ms; no timeline)")
    for thread, (run, waited, times) in sorted((key, row) for key, row in seen.items() if len(row) == 3):
        print(f"  {thread:7} {run / 1e6:9.2f} {waited / 1e6:10.2f} {times:10}")
    return 0 if seen else 1


def show(trace: Trace, pid: int, hog_pids: list[int], options: argparse.Namespace) -> int:
    timeline = Timeline(trace, descendants(trace, [pid]))
    if not timeline.team_members():
        say("the command does not occur in the trace: a larger --buffer or fewer --seconds may help")
        return 1
    hog_threads = descendants(trace, hog_pids)
    letters = symbols(timeline, hog_threads)
    width = min(int(options.window * 1e6), timeline.end - timeline.begin)
    begin = timeline.begin + (timeline.end - timeline.begin - width) // 2
    print(f"{width / 1e6:.2f} ms from the middle; digits: the team, B: CPU hogs, *: others, .: idle")
    print("\n".join(gantt(timeline, letters, begin, begin + width)))
    print("\n".join(summary(timeline, letters, trace.lost)))
    if options.csv:
        write_csv(timeline, hog_threads, options.csv)
    if options.png:
        write_png(timeline, letters, begin, begin + width, options.png)
    return 0


def run_traced(options: argparse.Namespace, hog_pids: list[int]) -> int:
    with sched_recording.recording(options.buffer) as record:
        started = subprocess.Popen(options.command)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(options.seconds)
            record.stop()  # before the command gets SIGTERM: its end is not part of the picture
        finally:
            end_of(started)
        return show(parse(record.lines()), started.pid, hog_pids, options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hogs", "--burners", type=int, default=0, metavar="N", help="CPU hogs beside the command (0)")
    parser.add_argument("--hog", "--burner", type=Path, metavar="PROGRAM", help="the hog's program (a Python loop)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="end the command after S seconds (1)")
    parser.add_argument("--window", type=float, default=20.0, metavar="MS", help="what the timeline shows (20)")
    parser.add_argument("--buffer", type=int, default=16384, metavar="KB", help="trace buffer of each CPU (16384)")
    parser.add_argument("--png", type=Path, metavar="FILE", help="the window as a picture")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="every stretch, one a line")
    parser.add_argument("command", nargs="+", metavar="CMD")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_exception)
    try:
        with hogs(options.hogs, options.hog) as started:
            hog_pids = [hog.pid for hog in started]
            try:
                return run_traced(options, hog_pids)
            except sched_recording.Unavailable as reason:
                say(f"no trace: {reason}; sampling /proc/PID/task/*/schedstat instead")
                return run_sampled(options.command, options.seconds)
    except OSError as error:
        say(f"{error.filename}: {os.strerror(error.errno or 0)}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
