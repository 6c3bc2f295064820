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


def marks(item: ast.ClassDef | ast.FunctionDef, lines: list[str]) -> set[str]:
    """Those above it or above one of its decorators."""
    return set().union(*(marks_above(lines, part.lineno) for part in (item, *item.decorator_list)))


def tests_of(item: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> list[ast.FunctionDef]:
    """The class's methods that are tests, then those it inherits from classes of the same file."""
    found = {part.name: part for part in item.body if isinstance(part, ast.FunctionDef) and part.name.startswith("test_")}
    for base in item.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            found = {method.name: method for method in tests_of(classes[base.id], classes)} | found
    return list(found.values())


def entries_of_class(
    item: ast.ClassDef, methods: list[ast.FunctionDef], lines: list[str], first: Entry, by_method: bool
) -> Iterator[Entry]:
    """`first` has what all have, and the beginning of the name."""
    marks_of_class = marks(item, lines)
    together = []
    for method in methods:
        own = marks(method, lines)
        if by_method or own:
            name, marked = f"{first.name}.{item.name}.{method.name.removeprefix('test_')}", marks_of_class | own
            command = (*first.command, f"{item.name}.{method.name}")
            yield replace(first, name=name, command=command, full="full" in marked, alone="alone" in marked)
        else:
            together.append(f"{item.name}.{method.name}")
    if together:
        command = (*first.command, *(together if len(together) < len(methods) else [item.name]))
        name = f"{first.name}.{item.name}"
        yield replace(
            first, name=name, command=command, full="full" in marks_of_class, alone="alone" in marks_of_class
        )


def files() -> list[Path]:
    return sorted({*TESTS.rglob("test_*.py"), *TESTS.rglob("*_test.py")})


def file_name(file: Path) -> str:
    return f"{folder_name(file.parent)}.{file.stem.removeprefix('test_').removesuffix('_test')}"


def entries_of(file: Path, places: Places) -> Iterator[Entry]:
    text = file.read_text()
    name = file_name(file)
    command = (PYTHON, str(TESTS / "driver/run_python.py"), str(file))
    in_folder = file.parent.name
    uses_runtimes = "RUNTIMES" in text or in_folder in BY_METHOD
    first = Entry(name, command, environment=places.environment(), all_runtimes=uses_runtimes)
    classes = {item.name: item for item in ast.parse(text).body if isinstance(item, ast.ClassDef)}
    for item in classes.values():
        for entry in entries_of_class(item, tests_of(item, classes), text.splitlines(), first, in_folder in BY_METHOD):
            yield entry
            if in_folder in ON_LIBGOMP:
                environment = entry.environment | {"TEST_RUNTIME": "libgomp12"}
                other = replace(entry, name=f"{entry.name}.libgomp12", full=True, environment=environment)
                yield replace(other, all_runtimes=False)


def entries(places: Places) -> Iterator[Entry]:
    for file in files():
        yield from entries_of(file, places)
