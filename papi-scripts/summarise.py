#!/usr/bin/env python3
"""Tables of what collect.py collected: medians, their spread, ratios to stock of the same round, counters, failures.

    papi-scripts/summarise.py collection.csv               text
    papi-scripts/summarise.py --markdown collection.csv    for a page
    papi-scripts/summarise.py --csv collection.csv         the first table, for programs
    papi-scripts/summarise.py --column value collection.csv

A ratio is the setting's number over stock's in the same round: below 1 is less. docs/use/collecting.md.
"""

from __future__ import annotations

import argparse
import csv
import signal
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from collection import cells, record, summary  # noqa: E402

from lab import results, tables  # noqa: E402

LEFT = {"barrier", "wait", "event", "source", "reason", "status"}  # the columns that are not numbers


def write_csv(rows: list[record.Row], column: str) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    parts = ("median", "least", "most")
    numbers = [f"{name}_{part}" for name in (column, "ratio_to_stock") for part in parts]
    writer.writerow(["threads", "barrier", "wait", "runs", *numbers, "failed"])
    for line in summary.table(rows, column):
        values = []
        for value in (line.value, line.ratio):
            values += ["", "", ""] if value is None else [f"{n:.6g}" for n in (value.median, value.low, value.high)]
        where = [line.setting.threads, line.setting.barrier, line.setting.wait]
        writer.writerow([*where, line.value.runs if line.value else 0, *values, line.failures])


def titled_tables(rows: list[record.Row], column: str) -> list[tuple[str, cells.Table]]:
    titled = [
        ("", cells.main_table(rows, column)),
        ("Muster's own counts, medians", cells.own_table(rows)),
        ("Counters, medians: while waiting at barriers, and the rest", cells.event_table(rows)),
        ("Failures", cells.failure_table(rows)),
    ]
    return [(title, table) for title, table in titled if table[1]]


def leave(path: Path, rows: list[record.Row], column: str) -> None:
    """A result of the machine, the commit and the day of the collection."""
    first = rows[0]
    machine = results.Machine(int(first["cpus"]), first["machine"], first["kernel"])
    found = [results.table_of_words(*table, title) for title, table in titled_tables(rows, column)]
    command = f"papi-scripts/collect.py ... -- {first['program']}"
    notes = [f"{name}: {text}" for name, text in cells.environment(rows) if name in ("runtime", "plan", "events")]
    found[0] = replace(found[0], notes=notes)
    result = results.Result(first["program"], command, first["commit"], first["date"][:10], found, machine)
    results.write(path, result)


def write_tables(rows: list[record.Row], column: str, markdown: bool) -> None:
    for name, text in cells.environment(rows):
        print(f"- {name}: {text}" if markdown else f"{name:9} {text}")
    for title, table in titled_tables(rows, column):
        print(f"\n### {title}\n" if markdown and title else f"\n{title}" if title else "")
        print((tables.markdown if markdown else tables.table)(*table, LEFT))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="summarise", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="collect.py's CSV")
    parser.add_argument("--column", choices=list(summary.QUANTITIES), default="elapsed_s", help="(elapsed_s)")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--markdown", action="store_true")
    shape.add_argument("--csv", action="store_true")
    results.add_option(parser)
    arguments = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    try:
        rows = record.read(arguments.file)
        if arguments.column == "value" and not rows[0]["value_pattern"]:
            raise record.RecordError(f"{arguments.file}:2: value: none was kept; collect.py --value REGEX keeps it")
        if arguments.csv:
            write_csv(rows, arguments.column)
        else:
            write_tables(rows, arguments.column, arguments.markdown)
        if arguments.json:
            leave(arguments.json, rows, arguments.column)
    except record.RecordError as error:
        print(f"summarise: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
