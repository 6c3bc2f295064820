"""Writes the entries as ctest reads them, into the file that the build tree includes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from driver.entries import Entry
from driver.places import PYTHON, ROOT, Places

ALL_RUNTIMES = ROOT / "build/runtimes"
SKIPPED = 77


def quoted(text: str) -> str:
    """A bracket argument takes everything as it is."""
    return f"[==[{text}]==]"


def with_all_runtimes(entry: Entry) -> Entry:
    """The same test on the runtimes that are fetched for --full."""
    environment = entry.environment | {"MUSTER_RUNTIMES": str(ALL_RUNTIMES)}
    return replace(entry, name=f"{entry.name}.all-runtimes", full=True, environment=environment)


def expanded(entries: Iterable[Entry]) -> Iterator[Entry]:
    for entry in entries:
        if not (entry.full and entry.all_runtimes):
            yield entry
        if entry.all_runtimes:
            yield with_all_runtimes(entry)


def lines_of(entry: Entry, places: Places) -> Iterator[str]:
    command = entry.command
    if not command:
        runtimes = ALL_RUNTIMES if entry.full else places.runtimes
        command = (PYTHON, str(ROOT / "tests/run.py"), "--build", str(places.build), "--runtimes", str(runtimes))
        command += ("--exactly", entry.name)
    yield f"add_test({quoted(entry.name)} {' '.join(map(quoted, command))})"
    properties = {"TIMEOUT": entry.timeout, "SKIP_RETURN_CODE": SKIPPED}
    labels = ["full" if entry.full else "gate"]
    properties["LABELS"] = ";".join(labels)
    if entry.alone:
        properties["RUN_SERIAL"] = "TRUE"
    if entry.cost:
        properties["COST"] = entry.cost
    if entry.passes_if:
        properties["PASS_REGULAR_EXPRESSION"] = entry.passes_if
    environment = entry.environment or places.bytecode()
    properties["ENVIRONMENT"] = ";".join(f"{name}={value}" for name, value in environment.items())
    shown = " ".join(f"{name} {quoted(str(value))}" for name, value in properties.items())
    yield f"set_tests_properties({quoted(entry.name)} PROPERTIES {shown})"


def write(entries: Iterable[Entry], places: Places, output: Path) -> None:
    text = "\n".join(line for entry in expanded(entries) for line in lines_of(entry, places))
    if not output.exists() or output.read_text() != text:
        output.write_text(text)
