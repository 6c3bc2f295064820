#!/usr/bin/env python3
"""The algorithms under GenMC, the protocol of folding under TLC. See docs/develop/reliability.md.

What is not installed is skipped: GenMC (--genmc, or `genmc` on PATH), and TLC, which takes java and a jar
(--tla2tools; or Maven's copy, which --fetch asks Maven for)."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import genmc
import tlc
from genmc import Case
from mutants import FENCES_AND_WAKES, ORDERS

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from lab import results  # noqa: E402

# Not those whose polls remember how far they have come: GenMC would try how often each comes round.
OTHERS = ("FetchAdd", "FetchAddXadd", "LocalSensor")
NOTHING_RUN = 77
MODELS = ("tso", "rc11", "imm")


def cases(full: bool) -> Iterator[Case]:
    yield Case("sleep_word", "Tree", "Block", 2, 2)
    yield Case("sleep_word", "Tree", "Block", 3, 1)
    if full:
        yield Case("sleep_word", "Tree", "Block", 3, 2)
    for algorithm in ("Tree", "Dissemination"):
        yield Case("barriers", algorithm, "Spin", 2, 2)
        yield Case("barriers", algorithm, "Block", 2, 1)
        yield Case("barriers", algorithm, "Spin", 3, 1)
        yield Case("barriers", algorithm, "Spin", 2, 2, 1, 0)
        yield Case("barriers", algorithm, "Block", 2, 1, 1, 1)
        yield Case("fold", algorithm, "Spin", 2, 1)
        yield Case("fold", algorithm, "Spin", 2, 1, 1, 0)
        yield Case("fold", algorithm, "Spin", 2, 1, 1, 1)
        if full:
            yield Case("barriers", algorithm, "Spin", 2, 3)
            yield Case("barriers", algorithm, "Block", 2, 2)
            yield Case("fold", algorithm, "Spin", 2, 2)
            yield Case("fold", algorithm, "Spin", 3, 1)
            yield Case("fold", algorithm, "Block", 2, 1)
            yield Case("fold", algorithm, "Block", 2, 1, 1, 1)
    if full:
        for algorithm in OTHERS:
            yield Case("barriers", algorithm, "Spin", 2, 2)
            yield Case("barriers", algorithm, "Spin", 3, 1)
            yield Case("barriers", algorithm, "Block", 2, 1, 1, 1)
            yield Case("fold", algorithm, "Spin", 2, 1, 1, 1)


@dataclass
class Row:
    name: str
    result: str  # "passed", "failed", "skipped"
    note: str
    output: str = ""


def told(name: str, expects_error: bool, found: str, gave_up: str, amount: str, output: str) -> Row:
    if gave_up:
        return Row(name, "failed", gave_up, output)
    if expects_error:
        return Row(name, "passed" if found else "failed", found or "not found", "" if found else output)
    return Row(name, "failed" if found else "passed", found or amount, output if found else "")


def check_case(arguments: argparse.Namespace, model: str, case: Case, change: genmc.Change | None) -> Row:
    verdict = genmc.run(arguments.genmc, arguments.clang, model, case, arguments.timeout, change)
    name = f"genmc {model}: {case}"
    if change is not None:
        file, old, new = change
        difference = next((line for line in new.splitlines() if line not in old), "left out")
        name = f"genmc {model}, {file}: {' '.join(old.split())} -> {difference.strip()}"
    amount = f"{verdict.executions} executions"
    if verdict.blocked:
        amount += f", {verdict.blocked} blocked"
    return told(name, change is not None, verdict.found, verdict.gave_up, amount, verdict.output)


def check_specification(arguments: argparse.Namespace, name: str, rule: str) -> Row:
    values = dict(tlc.LARGER[name]) if arguments.full and not rule else {}
    if rule:
        values[rule] = "FALSE"
    verdict = tlc.run(arguments.tla2tools, name, values, arguments.jobs, arguments.timeout)
    row = f"tlc {name}" + (f" without {rule}" if rule else "")
    amount = f"{verdict.states} states"
    return told(row, bool(rule), verdict.found, verdict.gave_up, amount, verdict.output)


def all_checks(arguments: argparse.Namespace) -> Iterator[tuple[str, partial[Row]]]:
    for name in tlc.SPECIFICATIONS:
        for rule in ["", *(tlc.rules_of(name) if arguments.mutants else [])]:
            yield "tlc", partial(check_specification, arguments, name, rule)
    for model in arguments.models.split(","):
        for case in cases(arguments.full):
            if arguments.filter in str(case):
                yield "genmc", partial(check_case, arguments, model, case, None)
        if arguments.mutants:
            # x86's stores are releases and its loads acquires: only fences can be missed there.
            needed = FENCES_AND_WAKES if model == "tso" else ORDERS + FENCES_AND_WAKES
            for change, case in needed:
                yield "genmc", partial(check_case, arguments, model, case, change)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="", help="only checks of GenMC whose program contains it")
    parser.add_argument("--only", choices=("tlc", "genmc"))
    parser.add_argument("--genmc", default=shutil.which("genmc"), metavar="PATH")
    parser.add_argument("--clang", default="clang++-19", help="of the LLVM that GenMC was built with")
    parser.add_argument("--models", default=",".join(MODELS), help="GenMC's memory models")
    parser.add_argument("--tla2tools", type=Path, default=tlc.find_jar(), metavar="JAR")
    parser.add_argument("--fetch", action="store_true", help="let Maven get the jar")
    parser.add_argument("--full", action="store_true", help="larger models, more programs")
    parser.add_argument("--mutants", action="store_true", help="errors that must be found, too")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="for each check")
    parser.add_argument("--jobs", type=int, default=2)
    results.add_option(parser)
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    if arguments.fetch and arguments.tla2tools is None:
        tlc.fetch()
        arguments.tla2tools = tlc.find_jar()
    missing = {}
    if arguments.genmc is None:
        missing["genmc"] = "no GenMC"
    elif shutil.which(arguments.clang) is None:
        missing["genmc"] = f"no {arguments.clang}"
    if shutil.which("java") is None:
        missing["tlc"] = "no java"
    elif arguments.tla2tools is None:
        missing["tlc"] = "no tla2tools"
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for tool, reason in missing.items():
        if arguments.only in (None, tool):
            print(f"skipped: {reason}")
            counts["skipped"] += 1
    checks = [
        check for tool, check in all_checks(arguments)
        if tool not in missing and arguments.only in (None, tool)
    ]

    def timed(check: partial[Row]) -> tuple[Row, float]:
        begin = time.monotonic()
        return check(), time.monotonic() - begin

    rows = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for row, seconds in pool.map(timed, checks):
            rows.append([row.name, row.result, row.note, f"{seconds:.1f}"])
            counts[row.result] += 1
            print(f"{row.result:7} {seconds:6.1f} s  {row.name}: {row.note}", flush=True)
            if row.result == "failed":
                print(row.output[-20000:])
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    if arguments.json:
        table = results.table_of_words(["check", "result", "note", "time"], rows, units={"time": "s"})
        results.leave(arguments.json, "GenMC and TLC", [table])
    if counts["failed"]:
        return 1
    return 0 if counts["passed"] else NOTHING_RUN


if __name__ == "__main__":
    sys.exit(main())
