#!/usr/bin/env python3
"""Runs an OpenMP program under Muster's barriers and policies, with counters, into one CSV.

    papi-scripts/collect.py --barriers auto,dist-sensor,tree --threads 2,4,8 --repetitions 5 \\
        --events PAPI_L2_TCM,PAPI_TOT_CYC --output app.csv -- ./app --its --arguments

The program is not changed. In its arguments, {threads} stands for the number of threads, which is also OMP_NUM_THREADS.
Each round runs every setting once, and stock, in random order. After an interruption the same command continues.
summarise.py makes tables of the CSV, report.py a page; docs/use/collecting.md has the columns.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from collection import plan, provenance  # noqa: E402
from collection.columns import FORMAT, run_values  # noqa: E402
from collection.plan import PlanError, Setting  # noqa: E402
from collection.record import Record, RecordError  # noqa: E402
from collection.running import Program  # noqa: E402

from lab import machine  # noqa: E402
from lab.campaign import positive  # noqa: E402
from lab.commit import commit  # noqa: E402
from lab.progress import Progress, duration  # noqa: E402


def say(text: str) -> None:
    print(f"collect: {text}", file=sys.stderr)


def names(text: str) -> list[str]:
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r}: an empty name")
    return found


def sizes(text: str) -> list[int]:
    if not re.fullmatch(r"[0-9]+(,[0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: numbers from 1, with commas between them")
    found = [int(number) for number in text.split(",")]
    if min(found) < 1 or len(set(found)) != len(found):
        raise argparse.ArgumentTypeError(f"{text!r}: numbers from 1, each once")
    return found


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is no time in seconds")
    return value


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="collect", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    cpus = machine.cpus()
    parser.add_argument("--barriers", type=names, default=["auto"], metavar="A,B", help="of MUSTER_BARRIER (auto)")
    parser.add_argument("--waits", type=names, default=["auto"], metavar="A,B", help="of MUSTER_WAIT (auto)")
    parser.add_argument("--threads", type=sizes, default=[cpus], metavar="N,M", help=f"team sizes ({cpus})")
    parser.add_argument("--no-stock", dest="stock", action="store_false", help="do not run it without Muster as well")
    parser.add_argument("--repetitions", type=positive, default=5, metavar="N", help="rounds (5)")
    parser.add_argument("--events", type=names, default=[], metavar="A,B", help="to count (`muster counters` lists)")
    parser.add_argument("--value", type=pattern, metavar="REGEX", help="the number in the program's output to keep")
    parser.add_argument("--timeout", type=seconds, default=600.0, metavar="S", help="of a run (600)")
    parser.add_argument("--output", type=Path, default=Path("collection.csv"), metavar="FILE", help="(collection.csv)")
    parser.add_argument("--restart", action="store_true", help="forget what the output holds")
    parser.add_argument("--build", type=Path, default=Path("build/release"), metavar="DIR", help="(build/release)")
    parser.add_argument("command", nargs="+", metavar="-- PROGRAM ARGUMENT...")
    return parser.parse_args()


def common_of(arguments: argparse.Namespace, binary: Path, library: Path) -> dict[str, str]:
    parts = [f"barriers {','.join(arguments.barriers)}", f"waits {','.join(arguments.waits)}"]
    parts += [f"threads {','.join(map(str, arguments.threads))}", "with stock" if arguments.stock else "no stock"]
    return {
        "format": FORMAT,
        "plan": "; ".join(parts),
        "program": " ".join(" ".join(arguments.command).split()),
        "program_digest": machine.digest(binary),
        "compiler": provenance.compiler(binary),
        "machine": provenance.processor(),
        "cpus": str(machine.cpus()),
        "kernel": os.uname().release,
        "library_digest": machine.digest(library),
        "commit": commit(),
        "events": ",".join(arguments.events),
        "value_pattern": arguments.value.pattern if arguments.value else "",
    }


class Runtimes:
    """What a run ran on: by its report, else what the loader would take. Each file is looked at once."""

    def __init__(self, binary: Path) -> None:
        self.linked = provenance.linked_runtime(binary)
        self.versions: dict[str, str] = {}

    def __call__(self, reports: list[dict]) -> dict[str, str]:
        runtimes = [runtime for report in reports for runtime in report["runtimes"]]
        path = runtimes[0].get("path", "") if runtimes else self.linked
        if path not in self.versions:
            self.versions[path] = provenance.runtime_version(path)
        kind = runtimes[0].get("kind", "") if runtimes else provenance.kind_of(path)
        return {"runtime": kind, "runtime_path": path, "runtime_version": self.versions[path]}


def collect(arguments: argparse.Namespace) -> int:
    found = shutil.which(arguments.command[0])
    if found is None:
        raise PlanError(f"{arguments.command[0]}: there is no such program, or it may not be run")
    build = arguments.build.resolve()
    library = build / "lib" / "libmuster.so"
    if not library.is_file():
        raise PlanError(f"{library} is missing; run ./bootstrap build first, or name --build")
    known = plan.known_values(build / "bin" / "muster")
    plan.check_names("--barriers", arguments.barriers, known.get("MUSTER_BARRIER", []))
    plan.check_names("--waits", arguments.waits, known.get("MUSTER_WAIT", []))
    plan.check_names("--events", arguments.events, [])
    chosen = plan.settings(arguments.barriers, arguments.waits, arguments.threads, arguments.stock)
    binary = Path(found)
    record = Record(arguments.output, common_of(arguments, binary, library), arguments.events, arguments.restart)
    if record.dropped:
        say(f"{arguments.output}: a torn last line of {record.dropped} bytes is dropped; its run is made again")
    command = [found, *arguments.command[1:]]
    program = Program(command, arguments.timeout, library, arguments.events, arguments.value)
    order = plan.rounds(chosen, arguments.repetitions)
    done = record.done()
    todo = [item for item in order if item not in done]
    if done and todo:
        say(f"{arguments.output}: continues after {len(order) - len(todo)} of {len(order)} runs")
    run_all(todo, len(order), record, program, Runtimes(binary), arguments)
    return conclude(record, arguments.output)


def run_all(
    todo: list[tuple[int, Setting]],
    total: int,
    record: Record,
    program: Program,
    runtimes: Runtimes,
    arguments: argparse.Namespace,
) -> None:
    progress = Progress()
    try:
        for number, (repetition, setting) in enumerate(todo):
            progress((total - len(todo) + number) / total, f"round {repetition}: {setting}")
            date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            outcome = program.run(setting)
            record.add(run_values(date, repetition, setting, arguments.events, outcome, runtimes))
    finally:
        progress.clear()


def conclude(record: Record, output: Path) -> int:
    """What was collected and what failed. 1 where a run did."""
    elapsed = sum(float(row["elapsed_s"]) for row in record.rows)
    print(f"{output}: {len(record.rows)} runs, {duration(elapsed)}")
    failures = Counter((f"{row['barrier']}/{row['wait']}", row["threads"], row["status"]) for row in record.failed())
    for (name, threads, status), times in sorted(failures.items()):
        print(f"  {times} of {name} with {threads} threads: {status}")
    reasons = {
        (event, row[f"{event}.reason"])
        for row in record.rows
        for event in filter(None, row["events"].split(","))
        if row["barrier"] != plan.STOCK and row[f"{event}.source"] == "unavailable"
    }
    for event, reason in sorted(reasons):
        print(f"  {event} is unavailable: {reason}")
    return 1 if failures else 0


def main() -> int:
    arguments = read_arguments()

    def interrupted(number: int, _frame: object) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    try:
        return collect(arguments)
    except (PlanError, RecordError, OSError) as error:
        say(str(error))
        return 2 if isinstance(error, PlanError) else 1
    except KeyboardInterrupt as stopped:
        say(f"{stopped or 'SIGINT'}: stopped; the same command continues")
        return 130


if __name__ == "__main__":
    sys.exit(main())
