"""The classes of test_*.py, found without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from driver.entries import TESTS, Entry, folder_name, marks_above
from driver.places import PYTHON, Places

# Folders whose classes build nothing for all of their methods: each method is an entry.
BY_METHOD = {"fault", "loading"}
ON_LIBGOMP = {"fault"}  # once more, by gcc and on libgomp


def first_line(item: ast.ClassDef | ast.FunctionDef) -> int:
    return min((decorator.lineno for decorator in item.decorator_list), default=item.lineno)


def entries_of_class(item: ast.ClassDef, lines: list[str], first: Entry, by_method: bool) -> Iterator[Entry]:
    """`first` has what all have, and the beginning of the name."""
    marks = marks_above(lines, first_line(item))
    methods = [part for part in item.body if isinstance(part, ast.FunctionDef) and part.name.startswith("test_")]
    together = []
    for method in methods:
        own = marks_above(lines, first_line(method))
        if by_method or own:
            name, marked = f"{first.name}.{item.name}.{method.name.removeprefix('test_')}", marks | own
            command = (*first.command, f"{item.name}.{method.name}")
            yield replace(first, name=name, command=command, full="full" in marked, alone="alone" in marked)
        else:
            together.append(f"{item.name}.{method.name}")
    if together:
        command = (*first.command, *(together if len(together) < len(methods) else [item.name]))
        yield replace(first, name=f"{first.name}.{item.name}", command=command, full="full" in marks, alone="alone" in marks)


def entries_of(file: Path, places: Places) -> Iterator[Entry]:
    text = file.read_text()
    name = f"{folder_name(file.parent)}.{file.stem.removeprefix('test_').removesuffix('_test')}"
    command = (PYTHON, str(TESTS / "driver/run_python.py"), str(file))
    in_folder = file.parent.name
    uses_runtimes = "RUNTIMES" in text or in_folder in BY_METHOD
    first = Entry(name, command, environment=places.environment(), all_runtimes=uses_runtimes)
    for item in ast.parse(text).body:
        if isinstance(item, ast.ClassDef):
            for entry in entries_of_class(item, text.splitlines(), first, in_folder in BY_METHOD):
                yield entry
                if in_folder in ON_LIBGOMP:
                    environment = entry.environment | {"TEST_RUNTIME": "libgomp12"}
                    other = replace(entry, name=f"{entry.name}.libgomp12", full=True, environment=environment)
                    yield replace(other, all_runtimes=False)


def entries(places: Places) -> Iterator[Entry]:
    for file in sorted({*TESTS.rglob("test_*.py"), *TESTS.rglob("*_test.py")}):
        yield from entries_of(file, places)
